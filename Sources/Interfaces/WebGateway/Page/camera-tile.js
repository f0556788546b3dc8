// One camera on the view of the rig.

import { sessionProblem } from './camera-session.js';
import { Badge, describeState, reasonText } from './conditions.js';
import { make, setText } from './elements.js';
import { devicePath } from './gateway.js';
import { drawPicture, PictureRate } from './picture-canvas.js';
import { ageText, number } from './quantities.js';

/** A watch keeps a camera running, so it begins only with one that runs; it outlives a short break. */
const beginsIn = new Set(['running']);
const continuesIn = new Set(['running', 'starting', 'stalled']);
const oldAfter = 1.5;

/** The kind and rate for a tile of this width, in device pixels. */
export function demand(pixels) {
    if (pixels > 960) return { kind: 'full', rate: 15 };
    if (pixels > 240) return { kind: 'preview', rate: 10 };
    return { kind: 'preview', rate: 5 };
}

/** A tile. Set `session` and `entry` before it is connected; `entry` again with each document of the rig. */
class CameraTile extends HTMLElement {
    isShown = false;
    #entry;
    #picture;
    #watch;
    #silence = '';
    #rate = new PictureRate();
    #badge = new Badge(describeState('unreachable'));
    #canvas = make('canvas', { width: '16', height: '9', role: 'img' });
    #veil = make('p', { class: 'veil' });
    #live = make('span', { class: 'live-mark', text: 'LIVE', hidden: true });
    #end;
    #open = make('button', { type: 'button', class: 'link', click: () => this.#openLarge() });
    #purpose = make('p', { class: 'purpose', dir: 'auto' });
    #figures = make('p', { class: 'figures' });
    #reason = make('p', { class: 'reason', dir: 'auto' });
    #start = make('button', { type: 'button', click: () => this.#startCamera() });
    #answer = make('p', { class: 'answer', role: 'status', dir: 'auto' });

    constructor() {
        super();
        this.frame = make('div', { class: 'frame' }, this.#canvas, this.#veil, this.#live);
        this.frame.addEventListener('click', () => this.#openLarge());
    }

    connectedCallback() {
        this.#end = new AbortController();
        this.session.rig.addEventListener('event', (event) => this.#hear(event.detail), { signal: this.#end.signal });
        if (this.firstChild) return;
        this.append(make('article', {},
            make('div', { class: 'head' }, make('h3', {}, this.#open), this.#badge.element),
            this.frame, this.#purpose, this.#figures, this.#reason, this.#start, this.#answer));
        this.refresh();
    }

    disconnectedCallback() {
        this.#end?.abort();
        this.isShown = false;
        this.#adapt();
    }

    get entry() { return this.#entry; }

    set entry(entry) {
        this.#entry = entry;
        const { device, condition } = entry;
        setText(this.#open, device.id);
        this.#open.setAttribute('aria-label', `${device.id}, open large view`);
        this.#canvas.setAttribute('aria-label', `Picture of ${device.id}`);
        this.#badge.update(describeState(condition.state));
        this.#live.hidden = number(condition.session?.livePhotosInProgress) === 0;
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

    /** Watches or not, as the tile is shown and the camera runs. */
    show(isShown) {
        this.isShown = isShown;
        this.#adapt();
    }

    #adapt() {
        const state = this.#entry?.condition.state;
        const isWanted = this.isShown && (this.#watch ? continuesIn : beginsIn).has(state);
        const { kind, rate } = demand(this.clientWidth * devicePixelRatio);
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
        await drawPicture(this.#canvas, picture, Math.max(64, this.clientWidth * devicePixelRatio));
        this.#picture = picture;
        this.#silence = '';
        this.#rate.add(picture);
    }

    /** Updates age and rates; called four times a second. */
    refresh() {
        const age = this.#picture ? this.session.age(this.#picture) : undefined;
        const isOld = age === undefined || age > oldAfter;
        this.classList.toggle('is-old-picture', isOld);
        setText(this.#veil, age === undefined ? 'No picture yet' : isOld ? `${ageText(age)} old` : '');
        const parts = [];
        if (age !== undefined) parts.push(`age ${ageText(age)}`);
        if (this.#watch) parts.push(`${this.#rate.perSecond.toFixed(1)}/s`, `${this.#rate.dropped} dropped`);
        setText(this.#figures, [parts.join(' · '), isOld ? this.#silence : ''].filter(Boolean).join(' – '));
    }

    /** Offers what may make the camera run. Returns why that is not permitted; undefined if it is, or not needed. */
    #offerStart({ state }) {
        const action = { stopped: 'start', failed: 'resume' }[state];
        // A hidden button would lose the focus to the page.
        if (!action && this.#start === document.activeElement) this.#open.focus();
        this.#start.hidden = action === undefined;
        if (!action) return undefined;
        setText(this.#start, action === 'start' ? 'Start' : 'Try again');
        this.#start.dataset.action = action;
        this.#start.setAttribute('aria-label', `${this.#start.textContent} ${this.#entry.device.id}`);
        const isPermitted = this.session.rig.may('configure');
        this.#start.disabled = !isPermitted || this.session.rig.isOld;
        return isPermitted ? undefined : 'Starting it needs the permission to configure.';
    }

    async #startCamera() {
        const { id } = this.#entry.device;
        setText(this.#answer, 'Starting …');
        try {
            const body = { action: this.#start.dataset.action };
            const result = await this.session.gateway.send('POST', `devices/${devicePath(id)}/session`, body);
            setText(this.#answer, sessionProblem(result, id) ?? '');
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }

    #openLarge() {
        this.dispatchEvent(new CustomEvent('open-camera', { bubbles: true, detail: this.#entry.device.id }));
    }
}

customElements.define('caprig-tile', CameraTile);
