// The stills of a shot in full size: all side by side, or two, also of different shots, beside each other, divided, or in turn. Zoom and pan are
// the same in all.

import { choice, field, foreignText, freshID, make, picker, setText } from './elements.js';
import { panned, transformOf, whole, zoomed } from './linked-zoom.js';
import { timeText } from './quantities.js';
import { readShot } from './shot-document.js';

/** What of a shot can be compared. */
export function picturesOf({ captures }) {
    return captures.filter(({ largest }) => largest).map(({ device, largest }) => ({ device, path: largest }));
}

function fill(select, options, value) {
    select.replaceChildren(...options.map(([key, text]) => make('option', { value: key, text })));
    select.value = value;
}

/** Pictures in full size need much memory: the chosen one and those after it. */
const mostPictures = 6;
const step = 1.5;
const hint = 'Keys: + and − zoom, arrows move, 0 shows the whole pictures.';
const modes = { all: 'All', two: 'Side by side', slider: 'Slider', blink: 'Blink' };
/** How long each of two pictures is shown; milliseconds. Slower than what may harm people: three changes a second. */
const blinkEvery = 700;

/**
 * Set `gateway`, `shot` (its id), `pictures` (`device`, `path`), `chosen`, a device, `mode` (`all`, `two`, `slider` or `blink`), and `near`, the
 * shots that these can be compared with, as lists have them, before it is connected. Removes itself when it is closed.
 */
class ComparisonDialog extends HTMLElement {
    view = whole;
    #title = make('h2', { id: freshID('comparison'), tabindex: '-1', text: 'Full size' });
    #figures = make('p', { class: 'figures', role: 'status' });
    #note = make('p', { class: 'note' });
    #modes = Object.entries(modes).map(([mode, text]) => make('button', { type: 'button', text, 'data-mode': mode, click: () => this.#choose(mode) }));
    #first = picker([], '', { change: () => this.#arrange() });
    #second = picker([], '', { change: () => this.#arrange() });
    #other = picker([], '', { change: () => this.#load() });
    #pickers = make('div', { class: 'toolbar' }, field('First', this.#first), field('Second', this.#second), field('of', this.#other));
    #divider = make('input', { type: 'range', min: '0', max: '100', value: '50', 'aria-label': 'Where the second picture begins', input: () => this.#divide() });
    #automatic = choice('By itself', { role: 'switch', checked: !matchMedia('(prefers-reduced-motion: reduce)').matches, change: () => this.#blink() });
    #swap = make('button', { type: 'button', text: 'Swap (B)', click: () => this.#exchange() });
    #tools = make('div', { class: 'toolbar' }, this.#divider, this.#swap, this.#automatic.row);
    #stage = make('div', { class: 'comparison', tabindex: '0', role: 'group', 'aria-label': 'Pictures, with one zoom for all' });
    #frames = [];
    /** Of two pictures in one frame, the element of the second, and the words for both. */
    #upper;
    #caption;
    #pointer;
    /** The pictures of other shots, by id. */
    #others = new Map();
    #ticker;

    connectedCallback() {
        const button = (text, label, act) => make('button', { type: 'button', text, 'aria-label': label, click: act });
        this.dialog = make('dialog', { class: 'camera', 'aria-labelledby': this.#title.id, close: () => this.remove() },
            make('div', { class: 'head' }, this.#title, make('div', { class: 'switch', role: 'group', 'aria-label': 'Compare' }, this.#modes),
                make('span', { class: 'actions' }, button('+', 'Zoom in', () => this.#show(zoomed(this.view, step))), button('−', 'Zoom out', () => this.#show(zoomed(this.view, 1 / step))),
                    button('1 : 1', 'One pixel of the first picture on one of the screen', () => this.#showPixels()),
                    button('Whole', 'Show the whole pictures', () => this.#show(whole))), make('button', { type: 'button', text: 'Close', click: () => this.dialog.close() })),
            this.#pickers, this.#stage, this.#tools, this.#figures, this.#note);
        this.append(this.dialog);
        this.#offer();
        this.#stage.addEventListener('wheel', (event) => this.#turn(event), { passive: false });
        this.#stage.addEventListener('pointerdown', (event) => this.#grab(event));
        this.#stage.addEventListener('pointermove', (event) => this.#move(event));
        for (const name of ['pointerup', 'pointercancel']) this.#stage.addEventListener(name, () => { this.#pointer = undefined; });
        this.dialog.addEventListener('keydown', (event) => this.#press(event));
        this.resizes = new ResizeObserver(() => this.#show(this.view));
        this.resizes.observe(this.#stage);
        this.dialog.showModal();
        this.#choose(this.mode ?? 'all');
        this.#title.focus();
    }

    disconnectedCallback() {
        this.resizes.disconnect();
        clearInterval(this.#ticker);
    }

    /** Offers this shot's cameras and the shots around it. With one picture, that of the shot before is the second. */
    #offer() {
        const ids = this.pictures.map(({ device }) => device);
        const named = ({ id, time, title }) => [id, [timeText(time), title].filter(Boolean).join(' · ')];
        fill(this.#first, ids.map((id) => [id, id]), this.chosen);
        fill(this.#other, [[this.shot, 'this shot'], ...this.near.map(named)], this.shot);
        this.#others.set(this.shot, this.pictures);
        fill(this.#second, ids.map((id) => [id, id]), ids[(ids.indexOf(this.chosen) + 1) % ids.length]);
        const isAlone = ids.length === 1 && this.near.length === 0;
        for (const each of this.#modes) each.disabled = each.dataset.mode !== 'all' && isAlone;
        if (ids.length > 1 || isAlone) return;
        this.#other.value = (this.near.find(({ id }) => id < this.shot) ?? this.near[0]).id;
        this.#load();
    }

    /** Offers the cameras of the chosen shot; that of the first picture, if it has it. */
    async #load() {
        const id = this.#other.value;
        try {
            if (!this.#others.has(id)) this.#others.set(id, picturesOf(readShot(await this.gateway.get(`shots/${encodeURIComponent(id)}`))));
        } catch (problem) {
            setText(this.#note, problem.message);
            return;
        }
        if (id !== this.#other.value) return;
        const ids = this.#others.get(id).map(({ device }) => device);
        const kept = id === this.shot ? this.#second.value : this.#first.value;
        fill(this.#second, ids.map((device) => [device, device]), ids.includes(kept) ? kept : ids[0]);
        this.#arrange();
    }

    #choose(mode) {
        this.mode = mode;
        for (const each of this.#modes) each.setAttribute('aria-pressed', String(each.dataset.mode === mode));
        this.#pickers.hidden = mode === 'all';
        this.#tools.hidden = !['slider', 'blink'].includes(mode);
        this.#divider.hidden = mode !== 'slider';
        this.#swap.hidden = mode !== 'blink';
        this.#automatic.row.hidden = mode !== 'blink';
        this.#arrange();
    }

    /** Shows the pictures of the mode. */
    #arrange() {
        clearInterval(this.#ticker);
        this.#frames = [];
        this.#upper = undefined;
        const at = this.pictures.findIndex(({ device }) => device === this.chosen);
        const ordered = [...this.pictures.slice(at), ...this.pictures.slice(0, at)];
        const left = this.mode === 'all' ? ordered.length - mostPictures : 0;
        setText(this.#note, left > 0 ? `${hint} ${left} more are not shown.` : hint);
        this.#stage.dataset.mode = this.mode;
        if (this.mode === 'all') {
            this.#stage.replaceChildren(...ordered.slice(0, mostPictures).map((picture) => this.#pane(picture.device, picture)));
            return;
        }
        const of = this.#other.value;
        const name = of === this.shot ? '' : `, ${this.#other.selectedOptions[0].text}`;
        const pair = [
            { words: this.#first.value, ...this.pictures.find(({ device }) => device === this.#first.value) },
            { words: `${this.#second.value}${name}`, ...this.#others.get(of)?.find(({ device }) => device === this.#second.value) },
        ].filter(({ path }) => path);
        if (pair.length < 2) setText(this.#note, 'This shot has no second picture.');
        if (this.mode === 'two') {
            this.#stage.replaceChildren(...pair.map((picture) => this.#pane(picture.words, picture)));
        } else {
            this.#caption = pair.map(({ words }) => words);
            this.#stage.replaceChildren(this.#pane('', ...pair));
            [, this.#upper] = this.#stage.querySelectorAll('.layer');
            this.#divide();
        }
        this.#blink();
    }

    /** A frame with a picture, or with two that lie on each other. */
    #pane(words, ...pictures) {
        const frame = make('div', { class: 'frame' });
        const failed = make('p', { class: 'veil' });
        for (const { path, words: told, device } of pictures) {
            const image = make('img', {
                src: this.gateway.url(path), alt: `Picture of ${told ?? device} in full size`, draggable: 'false', decoding: 'async', load: () => this.#show(this.view),
                error: () => setText(failed, 'This picture cannot be shown.'),
            });
            frame.append(make('div', { class: 'layer' }, image));
            this.#frames.push({ frame, image });
        }
        frame.append(failed);
        return make('figure', { class: 'pane' }, foreignText(words, 'figcaption'), frame);
    }

    /** Shows the second picture from the divider on. */
    #divide() {
        if (!this.#upper) return;
        const isDivided = this.mode === 'slider';
        this.#upper.style.clipPath = isDivided ? `inset(0 0 0 ${this.#divider.value}%)` : '';
        this.#upper.classList.toggle('is-divided', isDivided);
        this.#upper.style.setProperty('--at', `${this.#divider.value}%`);
        if (isDivided) setText(this.#stage.querySelector('figcaption'), this.#caption.join(' | '));
    }

    /** Changes between the two pictures by itself, if it is to. */
    #blink() {
        clearInterval(this.#ticker);
        if (this.mode !== 'blink' || !this.#upper) return;
        this.#exchange(true);
        if (this.#automatic.input.checked) this.#ticker = setInterval(() => this.#exchange(), blinkEvery);
    }

    /** Shows the other one of the two pictures. */
    #exchange(isFirst = !this.#upper.hidden) {
        this.#upper.hidden = isFirst;
        setText(this.#stage.querySelector('figcaption'), this.#caption[isFirst ? 0 : 1]);
    }

    /** The size of a picture in its frame at zoom 1, CSS pixels; undefined until it is loaded. */
    static #fitted({ frame, image }) {
        const { naturalWidth, naturalHeight } = image;
        if (!naturalWidth || !frame.clientWidth) return undefined;
        const scale = Math.min(frame.clientWidth / naturalWidth, frame.clientHeight / naturalHeight);
        return { width: naturalWidth * scale, height: naturalHeight * scale, scale };
    }

    #show(view) {
        this.view = view;
        for (const one of this.#frames) {
            const size = ComparisonDialog.#fitted(one);
            if (size) one.image.style.transform = transformOf(view, size.width, size.height);
        }
        const first = this.#frames[0] && ComparisonDialog.#fitted(this.#frames[0]);
        const percent = first ? `${Math.round(view.zoom * first.scale * devicePixelRatio * 100)} %` : '';
        setText(this.#figures, [percent, view.zoom > 1 ? `center at ${Math.round(view.x * 100)} % across, ${Math.round(view.y * 100)} % down` : 'whole pictures']
            .filter(Boolean).join(' · '));
    }

    /** One pixel of the first picture becomes one of the screen. */
    #showPixels() {
        const size = this.#frames[0] && ComparisonDialog.#fitted(this.#frames[0]);
        if (size) this.#show(zoomed(this.view, 1 / (size.scale * devicePixelRatio * this.view.zoom)));
    }

    /** The frame under a pointer, and where in it the pointer is, as shares. */
    static #place(event) {
        const frame = event.target.closest('.frame');
        const box = frame?.getBoundingClientRect();
        return box && { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height, box };
    }

    #turn(event) {
        const place = ComparisonDialog.#place(event);
        if (!place) return;
        event.preventDefault();
        this.#show(zoomed(this.view, Math.exp(-Math.max(-300, Math.min(300, event.deltaY)) / 400), place.x, place.y));
    }

    #grab(event) {
        const place = ComparisonDialog.#place(event);
        if (!place || event.button !== 0) return;
        this.#pointer = { id: event.pointerId, x: event.clientX, y: event.clientY, box: place.box };
        event.currentTarget.setPointerCapture(event.pointerId);
    }

    #move(event) {
        if (this.#pointer?.id !== event.pointerId) return;
        const { x, y, box } = this.#pointer;
        Object.assign(this.#pointer, { x: event.clientX, y: event.clientY });
        this.#show(panned(this.view, (x - event.clientX) / box.width, (y - event.clientY) / box.height));
    }

    #press(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, select')) return;
        if (event.key.toLowerCase() === 'b' && this.#upper && this.mode === 'blink') this.#exchange();
        const act = {
            '+': () => zoomed(this.view, step), '=': () => zoomed(this.view, step), '-': () => zoomed(this.view, 1 / step), 0: () => whole,
            ArrowLeft: () => panned(this.view, -0.2, 0), ArrowRight: () => panned(this.view, 0.2, 0),
            ArrowUp: () => panned(this.view, 0, -0.2), ArrowDown: () => panned(this.view, 0, 0.2),
        }[event.key];
        if (!act) return;
        event.preventDefault();
        this.#show(act());
    }
}

customElements.define('caprig-comparison', ComparisonDialog);
