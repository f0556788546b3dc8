// The large view of one camera: its picture, and beside it exposure, focus, controls and what can be requested.

import './camera-abilities.js';
import './camera-controls.js';
import './camera-session.js';
import './camera-switch.js';
import { Badge, describeState, reasonText } from './conditions.js';
import { choice, freshID, make, setText } from './elements.js';
import { ExposureMeter } from './exposure-meter.js';
import { drawPicture, PictureRate } from './picture-canvas.js';
import { addPeaking, addZebra } from './picture-analysis.js';
import { ageText, durationText } from './quantities.js';

const analysisInterval = 200;
const beginsIn = new Set(['running']);
const continuesIn = new Set(['running', 'starting', 'stalled']);

/** Set `session` and `device` before it is connected. Dispatches `closed` and removes itself. */
class CameraDialog extends HTMLElement {
    isOpen = true;
    #title = make('h2', { id: freshID('camera'), tabindex: '-1', dir: 'auto' });
    #badge = new Badge(describeState('unreachable'));
    #canvas = make('canvas', { width: '16', height: '9', role: 'img' });
    #overlay = make('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    #veil = make('p', { class: 'veil' });
    #figures = make('p', { class: 'figures' });
    #reason = make('p', { class: 'reason', dir: 'auto' });
    #meter = new ExposureMeter();
    #zebra = choice('Show clipping', { role: 'switch', change: () => this.#analyze() });
    #peaking = choice('Show focus', { role: 'switch', change: () => this.#analyze() });
    #rate = new PictureRate();
    #picture;
    #watch;
    #silence = '';
    #analyzed = 0;
    #end = new AbortController();

    connectedCallback() {
        this.#title.textContent = this.device;
        this.#canvas.setAttribute('aria-label', `Picture of ${this.device}`);
        const close = make('button', { type: 'button', text: 'Close', click: () => this.dialog.close() });
        const controls = document.createElement('caprig-controls');
        const session = document.createElement('caprig-camera-session');
        const exchange = document.createElement('caprig-camera-switch');
        const abilities = document.createElement('caprig-camera-abilities');
        for (const part of [controls, session, exchange, abilities]) Object.assign(part, { session: this.session, device: this.device });
        this.dialog = make('dialog', { class: 'camera viewer', 'aria-labelledby': this.#title.id, close: () => this.#close() },
            make('div', { class: 'head' }, this.#title, this.#badge.element, session, close),
            make('div', { class: 'viewed' },
                make('div', { class: 'frame' }, this.#canvas, this.#overlay, this.#veil), this.#figures, this.#reason),
            make('div', { class: 'panel' },
                ...this.#meter.elements, this.#zebra.row, this.#peaking.row, controls, abilities, exchange));
        this.append(this.dialog);
        this.dialog.showModal();
        this.#title.focus();
        const { signal } = this.#end;
        this.session.rig.addEventListener('rig', () => this.#update(), { signal });
        document.addEventListener('visibilitychange', () => this.#update(), { signal });
        this.ticker = setInterval(() => this.#refresh(), 250);
        this.#update();
        this.#refresh();
    }

    disconnectedCallback() {
        this.isOpen = false;
        this.#end.abort();
        clearInterval(this.ticker);
        this.#watch?.end();
        this.#watch = undefined;
    }

    #close() {
        this.isOpen = false;
        this.remove();
        this.dispatchEvent(new Event('closed'));
    }

    #update() {
        const entry = this.session.rig.camera(this.device);
        const state = entry?.condition.state ?? 'unreachable';
        this.#badge.update(describeState(state));
        setText(this.#reason, entry ? reasonText(entry.condition) : 'The rig no longer has this camera.');
        const isVisible = document.visibilityState === 'visible';
        const isWanted = isVisible && (this.#watch ? continuesIn : beginsIn).has(state);
        if (!isWanted) {
            this.#watch?.end();
            this.#watch = undefined;
        } else if (!this.#watch) {
            this.#watch = this.session.pictures.watch({
                device: this.device, kind: 'full', rate: 15,
                onPicture: (picture) => this.#draw(picture),
                onSilence: (detail) => { this.#silence = detail; },
            });
        }
    }

    async #draw(picture) {
        await drawPicture(this.#canvas, picture, Math.max(320, this.#canvas.parentElement.clientWidth * devicePixelRatio));
        this.#picture = picture;
        this.#canvas.parentElement.style.setProperty('--aspect', picture.width / picture.height);
        this.#silence = '';
        this.#rate.add(picture);
        if (performance.now() - this.#analyzed >= analysisInterval) this.#analyze();
    }

    /** Measures a small copy of the picture, and marks it on the overlay, which is stretched over the picture. */
    #analyze() {
        if (!this.#picture) return;
        this.#analyzed = performance.now();
        const image = this.#meter.show(this.#canvas);
        const { width, height } = image;
        const overlay = new ImageData(width, height);
        if (this.#peaking.input.checked) addPeaking(image, overlay);
        if (this.#zebra.input.checked) addZebra(image, overlay);
        Object.assign(this.#overlay, { width, height });
        this.#overlay.getContext('2d').putImageData(overlay, 0, 0);
    }

    #refresh() {
        const age = this.#picture ? this.session.age(this.#picture) : undefined;
        const isOld = age === undefined || age > 1.5;
        this.dialog.classList.toggle('is-old-picture', isOld);
        setText(this.#veil, age === undefined ? 'No picture yet' : isOld ? `${ageText(age)} old` : '');
        if (age === undefined) {
            setText(this.#figures, this.#silence);
            return;
        }
        const { width, height, bound } = this.#picture;
        const limit = (this.session.clock.bound ?? 0n) + (bound ?? 0n);
        setText(this.#figures, [
            `${width} × ${height}`, `age ${ageText(age)} ± ${durationText(limit)}`,
            `${this.#rate.perSecond.toFixed(1)}/s`, `${this.#rate.dropped} dropped`, isOld ? this.#silence : '',
        ].filter(Boolean).join(' · '));
    }
}

customElements.define('caprig-camera', CameraDialog);
