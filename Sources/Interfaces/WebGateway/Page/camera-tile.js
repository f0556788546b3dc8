// One camera on the wall.

import { cameraAction, changeSession } from './camera-session.js';
import { Badge, describeState, rateOf, reasonText } from './conditions.js';
import { make, setText } from './elements.js';
import { drawPicture, PictureRate } from './picture-canvas.js';
import { ageText, clockText, number } from './quantities.js';
import { openTileMenu } from './tile-menu.js';

/** A watch keeps a camera running, so it begins only with one that runs; it outlives a short break. */
const beginsIn = new Set(['running']);
const continuesIn = new Set(['running', 'starting', 'stalled']);
const oldAfter = 1.5;
/** A second press within this time makes the first a double click; milliseconds. */
const doubleClick = 250;

/** The kind and rate for a tile of this width, in device pixels. */
export function demand(pixels) {
    if (pixels > 960) return { kind: 'full', rate: 15 };
    if (pixels > 240) return { kind: 'preview', rate: 10 };
    return { kind: 'preview', rate: 5 };
}

/**
 * A tile. Set `session`, `selection` and `entry` before it is connected; `number`, `entry` and `isSelected` again with each document of the
 * rig. `article` is what is shown on the whole screen.
 */
class CameraTile extends HTMLElement {
    isShown = false;
    #entry;
    #picture;
    #watch;
    #silence = '';
    #recording;
    #marks;
    #press;
    #rate = new PictureRate();
    #badge = new Badge(describeState('unreachable'));
    #canvas = make('canvas', { width: '16', height: '9', role: 'img' });
    #veil = make('p', { class: 'veil' });
    #choose = make('button', { type: 'button', class: 'choose', 'aria-pressed': 'false', click: () => this.selection.toggle(this.#entry.device.id) });
    #live = make('span', { class: 'live-mark', text: 'LIVE', hidden: true });
    #record = make('span', { class: 'record-mark', hidden: true });
    #more = make('button', { type: 'button', class: 'more', text: '⋯', 'aria-haspopup': 'menu', click: () => openTileMenu(this, this.#more, (text) => setText(this.#answer, text)) });
    #open = make('button', { type: 'button', class: 'link', click: () => this.openLarge() });
    #purpose = make('span', { class: 'purpose', dir: 'auto' });
    #slow = make('span', { class: 'slow' });
    #figures = make('span', { class: 'figures' });
    #reason = make('p', { class: 'reason', dir: 'auto' });
    #start = make('button', { type: 'button', click: () => this.#startCamera() });
    #answer = make('p', { class: 'answer', role: 'status', dir: 'auto' });
    #end;

    constructor() {
        super();
        this.frame = make('div', { class: 'frame' }, this.#canvas, this.#veil);
        this.frame.addEventListener('click', (event) => this.#pressPicture(event));
        this.article = make('article', { class: 'tile' }, this.frame,
            make('div', { class: 'marks' }, this.#choose, this.#record, this.#live, this.#more),
            make('div', { class: 'told' }, this.#reason, this.#start, this.#answer),
            make('div', { class: 'caption' }, make('h2', {}, this.#open), this.#badge.element, this.#slow, this.#purpose, this.#figures));
    }

    connectedCallback() {
        this.#end = new AbortController();
        this.session.rig.addEventListener('event', (event) => this.#hear(event.detail), { signal: this.#end.signal });
        if (!this.firstChild) this.append(this.article);
        this.refresh();
    }

    disconnectedCallback() {
        this.#end?.abort();
        this.isShown = false;
        this.#adapt();
    }

    set number(number) { setText(this.#choose, number); }

    set isSelected(isSelected) {
        this.#choose.setAttribute('aria-pressed', String(isSelected));
        this.classList.toggle('is-selected', isSelected);
    }

    get entry() { return this.#entry; }

    set entry(entry) {
        this.#entry = entry;
        const { device, condition } = entry;
        setText(this.#open, device.id);
        this.#open.setAttribute('aria-label', `${device.id}, open large view`);
        this.#choose.setAttribute('aria-label', `Choose ${device.id}`);
        this.#more.setAttribute('aria-label', `More for ${device.id}`);
        this.#canvas.setAttribute('aria-label', `Picture of ${device.id}`);
        this.#badge.update(describeState(condition.state));
        this.#live.hidden = number(condition.session?.livePhotosInProgress) === 0;
        this.#recording = condition.session?.recording && { ...condition.session.recording, told: performance.now() };
        const { isSlow, text } = rateOf(condition);
        setText(this.#slow, isSlow ? text : '');
        setText(this.#purpose, device.purpose ?? '');
        const refusal = this.#offerStart(condition);
        setText(this.#reason, [reasonText(condition), refusal].filter(Boolean).join(' – '));
        this.#adapt();
    }

    /** Shows that a picture is taken, as a shutter would. */
    #hear({ name, device }) {
        if (name !== 'capture.willCapturePhoto' || device !== this.#entry?.device.id) return;
        if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
        this.frame.animate([{ opacity: 0.1 }, { opacity: 1 }], { duration: 300 });
    }

    /** Lays marks, `ImageData`, over the picture; without them, none. */
    mark(marks) {
        if (!marks) {
            this.#marks?.remove();
            this.#marks = undefined;
            return;
        }
        if (!this.#marks) this.#canvas.after(this.#marks = make('canvas', { class: 'overlay', 'aria-hidden': 'true' }));
        Object.assign(this.#marks, { width: marks.width, height: marks.height });
        this.#marks.getContext('2d').putImageData(marks, 0, 0);
    }

    /** Watches or not, as the tile is shown and the camera runs. */
    show(isShown) {
        this.isShown = isShown;
        this.#adapt();
    }

    #adapt() {
        const state = this.#entry?.condition.state;
        const isWanted = this.isShown && (this.#watch ? continuesIn : beginsIn).has(state);
        const { kind, rate } = demand(this.frame.clientWidth * devicePixelRatio);
        if (!isWanted) {
            this.#watch?.end();
            this.#watch = undefined;
        } else if (this.#watch) {
            this.#watch.adapt(kind, rate);
        } else {
            this.#silence = '';
            this.#watch = this.session.pictures.watch({
                device: this.#entry.device.id, kind, rate,
                onPicture: (picture) => this.#draw(picture),
                onSilence: (detail) => { this.#silence = detail; },
            });
        }
    }

    async #draw(picture) {
        await drawPicture(this.#canvas, picture, Math.max(64, this.frame.clientWidth * devicePixelRatio));
        this.#picture = picture;
        this.#silence = '';
        this.#rate.add(picture);
    }

    /** Updates age, rates and clock; called four times a second. */
    refresh() {
        const age = this.#picture ? this.session.age(this.#picture) : undefined;
        const isOld = age === undefined || age > oldAfter;
        this.classList.toggle('is-old-picture', isOld);
        setText(this.#veil, age === undefined ? 'No picture yet' : isOld ? `${ageText(age)} old` : '');
        const parts = [];
        if (age !== undefined) parts.push(`age ${ageText(age)}`);
        if (this.#watch) parts.push(`${this.#rate.perSecond.toFixed(1)}/s`, `${this.#rate.dropped} dropped`);
        setText(this.#figures, [parts.join(' · '), isOld ? this.#silence : ''].filter(Boolean).join(' – '));
        this.#record.hidden = !this.#recording;
        if (this.#recording) setText(this.#record, `REC ${clockText(this.#recording.durationNanoseconds, this.#recording.told)}`);
    }

    /** Offers what may make the camera run. Returns why that is not permitted; undefined if it is, or not needed. */
    #offerStart({ state }) {
        const [action, verb] = ['stopped', 'failed'].includes(state) ? cameraAction(state) : [];
        // A hidden button would lose the focus to the page.
        if (!action && this.#start === document.activeElement) this.#open.focus();
        this.#start.hidden = action === undefined;
        if (!action) return undefined;
        setText(this.#start, verb);
        this.#start.dataset.action = action;
        this.#start.setAttribute('aria-label', `${verb} ${this.#entry.device.id}`);
        const isPermitted = this.session.rig.may('configure');
        this.#start.disabled = !isPermitted || this.session.rig.isOld;
        return isPermitted ? undefined : 'Starting it needs the permission to configure.';
    }

    async #startCamera() {
        setText(this.#answer, 'Starting …');
        setText(this.#answer, await changeSession(this.session, this.#entry.device.id, this.#start.dataset.action));
    }

    /** While cameras are chosen in the pictures, or with Ctrl or Shift, a press chooses; otherwise one opens the camera, two fill the screen. */
    #pressPicture({ ctrlKey, metaKey, shiftKey, detail }) {
        clearTimeout(this.#press);
        if (document.fullscreenElement) {
            if (detail === 2) document.exitFullscreen();
        } else if (this.selection.isByPicture || ctrlKey || metaKey || shiftKey) {
            this.selection.toggle(this.#entry.device.id);
        } else if (detail === 2) {
            this.article.requestFullscreen().catch(() => {});
        } else {
            this.#press = setTimeout(() => this.openLarge(), doubleClick);
        }
    }

    openLarge() {
        if (document.fullscreenElement) document.exitFullscreen();
        this.dispatchEvent(new CustomEvent('open-camera', { bubbles: true, detail: this.#entry.device.id }));
    }
}

customElements.define('caprig-tile', CameraTile);
