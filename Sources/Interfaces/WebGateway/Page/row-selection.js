// Which rows of a list are selected: by their checkboxes, by keys, by a rubber band of the mouse, and with a finger.

import { make } from './elements.js';

/** CSS pixels: a pointer that moves less stands still; the list scrolls while a rubber band ends this close to its edge. */
const still = 8;
const edge = 40;
const step = 12;
/** Milliseconds until a finger that stands still selects. */
const holdFor = 500;

/** The rows of `area`, a positioned element. Calls `changed` when another selection is made. */
export class RowSelection {
    #area;
    #changed;
    /** Row and checkbox by id, in the order of the list. */
    #rows = new Map();
    /** Where a press with Shift begins, and what was selected besides. */
    #anchor;
    #before = new Set();
    /** How a pointer was pressed and moved last, where in the area, and what was selected before. */
    #start;
    #end;
    #origin;
    #earlier;
    #band;
    /** Waits for a long press, or scrolls. */
    #timer;
    /** Whether a tap selects: after a long press, as long as something is selected. */
    #isByTouch = false;
    /** Whether the click that follows belongs to a rubber band or a long press. */
    #isHandled = false;

    constructor(area, changed) {
        this.#area = area;
        this.#changed = changed;
        for (const name of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel', 'keydown']) area.addEventListener(name, this);
        area.addEventListener('click', this, true);
        area.addEventListener('dragstart', (event) => event.preventDefault());
        area.addEventListener('contextmenu', (event) => this.#start && event.preventDefault());
    }

    add(id, row, choice) {
        row.dataset.id = id;
        this.#rows.set(id, { row, choice });
    }

    remove(id) {
        this.#rows.get(id)?.row.remove();
        if (this.#rows.delete(id)) this.#changed();
    }

    has(id) { return this.#rows.has(id); }

    get ids() { return [...this.#rows].filter(([, { choice }]) => choice.checked).map(([id]) => id); }

    /** Forgets all rows. */
    clear() {
        this.#release();
        this.#rows.clear();
        this.#changed();
    }

    /** Selects what fulfills a condition of its id, its row and whether it is selected, and nothing else. */
    select(condition) {
        for (const [id, { row, choice }] of this.#rows) choice.checked = condition(id, row, choice.checked);
        this.#changed();
    }

    handleEvent(event) {
        const { id } = event.target.closest('[data-id]')?.dataset ?? {};
        switch (event.type) {
        case 'pointerdown': this.#press(event, id); break;
        case 'pointermove': this.#move(event); break;
        case 'click': this.#click(event, id); break;
        case 'keydown': this.#type(event, id); break;
        default: this.#release();
        }
    }

    /** Ranges begin at this row, which is selected or no longer is if it `isToggled`. */
    #begin(id, isToggled) {
        const { choice } = this.#rows.get(id);
        if (isToggled) choice.checked = !choice.checked;
        this.#anchor = id;
        this.#before = new Set(this.ids);
        this.#changed();
    }

    /** Selects all from the anchor to this row, besides what was selected. */
    #extend(id) {
        if (!this.#rows.has(this.#anchor)) this.#begin(id);
        const ends = [this.#anchor, id];
        let isInside = false;
        this.select((each) => {
            const isEnd = ends.includes(each);
            const isMeant = isInside || isEnd || this.#before.has(each);
            if (isEnd && this.#anchor !== id) isInside = !isInside;
            return isMeant;
        });
    }

    #click(event, id) {
        const { target, shiftKey, ctrlKey, metaKey } = event;
        const isBox = target.matches('.selects');
        const isLink = target.closest('a:not(.foot a)') && (shiftKey || ctrlKey || metaKey || this.#isByTouch);
        // The keyboard clicks, too.
        const isHandled = this.#isHandled && event.detail > 0;
        if (isHandled || isLink) event.preventDefault();
        if (isHandled || !(isBox || isLink)) return;
        if (shiftKey) this.#extend(id);
        else this.#begin(id, !isBox);
        this.#isByTouch &&= this.ids.length > 0;
    }

    /** Arrows lead from checkbox to checkbox; with Shift they select on the way. */
    #type(event, id) {
        const { key, shiftKey, target } = event;
        if (key === 'Escape' && this.#band) {
            this.select((each) => this.#earlier.has(each));
            this.#release();
        }
        if (!key.startsWith('Arrow') || !target.matches(shiftKey ? '.selects, a' : '.selects')) return;
        event.preventDefault();
        const next = this.#neighbor(id, key);
        if (!next) return;
        this.#rows.get(next).choice.focus();
        if (shiftKey && !this.#rows.has(this.#anchor)) this.#begin(id);
        if (shiftKey) this.#extend(next);
        else this.#anchor = undefined;
    }

    #neighbor(id, key) {
        const sign = /Down|Right/.test(key) ? 1 : -1;
        const ids = [...this.#rows.keys()];
        if (/Left|Right/.test(key)) return ids[ids.indexOf(id) + sign];
        const place = (each) => this.#rows.get(each).row;
        const { offsetTop, offsetLeft } = place(id);
        const distance = (each) => Math.abs(place(each).offsetTop - offsetTop) * 1e4 + Math.abs(place(each).offsetLeft - offsetLeft);
        return ids.filter((each) => sign * (place(each).offsetTop - offsetTop) > 0).sort((a, b) => distance(a) - distance(b))[0];
    }

    #press(event, id) {
        this.#release();
        this.#isHandled = false;
        const isMouse = event.pointerType === 'mouse';
        this.#isByTouch &&= !isMouse;
        if (event.button !== 0 || event.target.closest('button, input')) return;
        this.#start = event;
        this.#earlier = new Set(this.ids);
        this.#area.classList.toggle('is-pressed', isMouse);
        const { left, top } = this.#area.getBoundingClientRect();
        this.#origin = { x: event.clientX - left, y: event.clientY - top };
        if (isMouse || !id) return;
        this.#timer = setTimeout(() => {
            this.#isHandled = this.#isByTouch = true;
            this.#begin(id, true);
        }, holdFor);
    }

    #move(event) {
        const start = this.#start;
        if (!start || (!this.#band && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < still)) return;
        if (start.pointerType !== 'mouse') {
            this.#release();
            return;
        }
        this.#end = event;
        if (!this.#band) this.#startBand();
        this.#stretch();
    }

    #startBand() {
        this.#isHandled = true;
        this.#band = make('div', { class: 'band' });
        this.#area.append(this.#band);
        this.#area.setPointerCapture(this.#start.pointerId);
        this.#area.focus({ preventScroll: true });
        const main = this.#area.closest('main');
        this.#timer = setInterval(() => {
            const { top, bottom } = main.getBoundingClientRect();
            const by = this.#end.clientY < top + edge ? -step : this.#end.clientY > bottom - edge ? step : 0;
            main.scrollBy(0, by);
            if (by) this.#stretch();
        }, 16);
    }

    /** Draws the rubber band, and selects what it touches, besides what was selected if a key says so. */
    #stretch() {
        const box = this.#area.getBoundingClientRect();
        const { x, y } = this.#origin;
        const [endX, endY] = [this.#end.clientX - box.left, this.#end.clientY - box.top];
        const [left, top, width, height] = [Math.min(x, endX), Math.min(y, endY), Math.abs(x - endX), Math.abs(y - endY)];
        this.#band.style.cssText = `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
        const { shiftKey, ctrlKey, metaKey } = this.#start;
        this.select((id, { offsetLeft, offsetTop, offsetWidth, offsetHeight }) => ((shiftKey || ctrlKey || metaKey) && this.#earlier.has(id))
            || (offsetLeft < left + width && offsetLeft + offsetWidth > left && offsetTop < top + height && offsetTop + offsetHeight > top));
    }

    #release() {
        this.#band?.remove();
        this.#area.classList.remove('is-pressed');
        clearInterval(this.#timer);
        this.#band = this.#start = undefined;
    }
}
