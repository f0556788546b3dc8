// One camera's part of a shot: its picture, its outcome and its files.

import { badge, describeOutcome } from './conditions.js';
import { foreignText, make, smallPicture, update } from './elements.js';
import { MovieDownloads } from './movie-downloads.js';
import { byteText, durationText } from './quantities.js';
import { addRejectButton } from './reject-marks.js';

function fileItem(file, gateway, downloads) {
    const item = make('li', {}, make('span', { class: 'kind', text: file.kind }), ' ', badge(describeOutcome(file.outcome)));
    if (file.path) {
        const name = file.name.split('/').at(-1);
        item.append(' ', make('a', {
            href: gateway.url(file.path), download: name, text: name, 'aria-label': `Download ${file.name}`,
        }), ` ${byteText(file.byteCount)}`);
    }
    if (file.mp4) item.append(' ', downloads.button(file));
    if (file.problem) item.append(foreignText(file.problem, 'p', { class: 'problem' }));
    return item;
}

/** A card that is updated as outcomes arrive; its picture is loaded once. */
export class CaptureCard {
    element = make('article', { class: 'card capture' });
    #picture = make('div', { class: 'thumbnail' });
    #faults = make('ul', { class: 'files', 'aria-label': 'What the picture looks like' });
    #facts = make('div');
    #files = make('ul', { class: 'files' });
    #filesOf = make('details', {}, make('summary', { text: 'Files' }), this.#files);
    #downloads;
    #source;
    #shown;

    /**
     * `marks` are the shot's reject marks; `mayMark`: whether the session may change them. `enlarge` is called with the device when
     * its picture is chosen.
     */
    constructor(gateway, device, marks, mayMark, enlarge) {
        this.gateway = gateway;
        this.enlarge = enlarge;
        this.#faults.hidden = true;
        this.#downloads = new MovieDownloads(gateway);
        const reject = make('button', {
            type: 'button', class: 'reject', text: 'Reject', 'aria-label': `Reject ${device}`, 'aria-keyshortcuts': 'x',
            title: mayMark ? 'Mark this picture as rejected (X); it is not deleted' : 'Marks need the permission to trigger',
            disabled: !mayMark,
        });
        addRejectButton(reject, this.element, device, marks);
        this.element.append(make('div', { class: 'head' }, make('h3', { dir: 'auto', text: device }), reject), this.#picture, this.#faults,
            this.#facts, this.#filesOf);
        this.#filesOf.append(this.#downloads.element);
    }

    /** What is wrong with the picture as far as it can be seen, sentences. */
    showFaults(faults) {
        this.#faults.hidden = faults.length === 0;
        update(this.#faults, faults.map((text) => make('li', { class: 'fault' }, make('span', { class: 'shape', 'aria-hidden': 'true', text: '▲' }), text)));
    }

    update(capture) {
        this.#showPicture(capture);
        const shown = JSON.stringify(capture, (_, value) => (typeof value === 'bigint' ? String(value) : value));
        if (shown === this.#shown) return;
        this.#shown = shown;
        const focused = this.#files.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
        const skew = capture.skew === undefined ? ''
            : make('span', { class: 'figures', text: `skew ${durationText(capture.skew, { signed: true })} ± ${durationText(capture.bound)}` });
        this.#facts.replaceChildren(
            make('p', { class: 'outcome' }, badge(describeOutcome(capture.phase)), skew),
            ...(capture.problem ? [foreignText(capture.problem, 'p', { class: 'problem' })] : []),
            ...capture.notes.map((note) => foreignText(note, 'p', { class: 'note' })));
        this.#files.replaceChildren(...capture.files.map((file) => fileItem(file, this.gateway, this.#downloads)));
        this.#filesOf.hidden = capture.files.length === 0;
        // What is wrong with a file is seen at once.
        if (capture.files.some(({ problem }) => problem)) this.#filesOf.open = true;
        this.#downloads.element.hidden = !capture.files.some(({ mp4 }) => mp4);
        if (focused) [...this.#files.querySelectorAll('a, button')].find((control) => control.getAttribute('aria-label') === focused)?.focus();
    }

    #showPicture({ picture, largest, device }) {
        if (picture === this.#source && this.#picture.firstChild) return;
        this.#source = picture;
        if (!picture) {
            this.#picture.replaceChildren(make('p', { text: 'No picture stored' }));
            return;
        }
        const isFocused = this.#picture.contains(document.activeElement);
        const image = smallPicture(this.gateway.url(picture), `Picture of ${device}`, make('span', { text: 'No picture can be shown' }));
        this.#picture.replaceChildren(largest ? make('button', {
            type: 'button', class: 'enlarge', 'aria-label': `Picture of ${device}, in full size`, click: () => this.enlarge(device),
        }, image) : image);
        if (isFocused) this.#picture.querySelector('button')?.focus();
    }
}
