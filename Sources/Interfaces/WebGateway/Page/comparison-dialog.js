// The stills of a shot in full size, side by side: zoom and pan are the same in all.

import { foreignText, freshID, make, setText } from './elements.js';
import { panned, transformOf, whole, zoomed } from './linked-zoom.js';

/** Pictures in full size need much memory: the chosen one and those after it. */
const mostPictures = 6;
const step = 1.5;
const hint = 'Keys: + and − zoom, arrows move, 0 shows the whole pictures.';

/** Set `gateway`, `pictures` (`device`, `path`) and `chosen`, a device, before it is connected. Removes itself when it is closed. */
class ComparisonDialog extends HTMLElement {
    view = whole;
    #title = make('h2', { id: freshID('comparison'), tabindex: '-1', text: 'Full size' });
    #figures = make('p', { class: 'figures', role: 'status' });
    #frames = [];
    #pointer;

    connectedCallback() {
        const at = this.pictures.findIndex(({ device }) => device === this.chosen);
        const ordered = [...this.pictures.slice(at), ...this.pictures.slice(0, at)];
        const left = ordered.length - mostPictures;
        const button = (text, label, act) => make('button', { type: 'button', text, 'aria-label': label, click: act });
        const stage = make('div', { class: 'comparison', tabindex: '0', role: 'group', 'aria-label': 'Pictures, with one zoom for all' },
            ordered.slice(0, mostPictures).map((picture) => this.#frame(picture)));
        this.dialog = make('dialog', { class: 'camera', 'aria-labelledby': this.#title.id, close: () => this.remove() },
            make('div', { class: 'head' }, this.#title,
                button('+', 'Zoom in', () => this.#show(zoomed(this.view, step))), button('−', 'Zoom out', () => this.#show(zoomed(this.view, 1 / step))),
                button('1 : 1', 'One pixel of the first picture on one of the screen', () => this.#showPixels()),
                button('Whole', 'Show the whole pictures', () => this.#show(whole)), make('button', { type: 'button', text: 'Close', click: () => this.dialog.close() })),
            stage, this.#figures, make('p', { class: 'note', text: left > 0 ? `${hint} ${left} more are not shown.` : hint }));
        this.append(this.dialog);
        stage.addEventListener('wheel', (event) => this.#turn(event), { passive: false });
        stage.addEventListener('pointerdown', (event) => this.#grab(event));
        stage.addEventListener('pointermove', (event) => this.#move(event));
        for (const name of ['pointerup', 'pointercancel']) stage.addEventListener(name, () => { this.#pointer = undefined; });
        this.dialog.addEventListener('keydown', (event) => this.#press(event));
        this.resizes = new ResizeObserver(() => this.#show(this.view));
        this.resizes.observe(stage);
        this.dialog.showModal();
        this.#title.focus();
    }

    disconnectedCallback() { this.resizes.disconnect(); }

    #frame({ device, path }) {
        const image = make('img', {
            src: this.gateway.url(path), alt: `Picture of ${device} in full size`, draggable: 'false', decoding: 'async', load: () => this.#show(this.view),
        });
        const frame = make('div', { class: 'frame' }, image);
        const failed = make('p', { class: 'veil' });
        image.addEventListener('error', () => setText(failed, 'This picture cannot be shown.'));
        frame.append(failed);
        this.#frames.push({ frame, image });
        return make('figure', { class: 'pane' }, foreignText(device, 'figcaption'), frame);
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
        const size = ComparisonDialog.#fitted(this.#frames[0]);
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
        if (event.ctrlKey || event.altKey || event.metaKey) return;
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
