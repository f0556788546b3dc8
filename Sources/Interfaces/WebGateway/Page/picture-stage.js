// The picture of one camera of a shot, as large as there is room, with what is known of it.

import { Badge, describeOutcome } from './conditions.js';
import { skewText } from './capture-card.js';
import { foreignText, make, setText, update } from './elements.js';

/** A reduced picture has this many pixels across, or nearly so. */
const reducedFrom = 1000;
/** A reduced picture is shown this much larger at most. */
const mostStretch = 1.25;

/** `element`, to which others add controls in `actions`. `enlarge` is called when the picture is pressed. */
export class PictureStage {
    #gateway;
    #image = make('img', { decoding: 'async', load: () => this.#refine() });
    #enlarge;
    #absent = make('p', { text: 'No picture stored' });
    #title = make('h2', { dir: 'auto' });
    #badge = new Badge(describeOutcome('pending'));
    #skew = make('span', { class: 'figures' });
    #faults = make('ul', { class: 'files', 'aria-label': 'What the picture looks like' });
    #words = make('div');
    #capture;
    actions = make('span', { class: 'actions' });
    element;

    constructor(gateway, enlarge) {
        this.#gateway = gateway;
        this.#image.addEventListener('error', () => this.#show(false, 'No picture can be shown'));
        this.#enlarge = make('button', { type: 'button', class: 'enlarge', click: enlarge }, this.#image);
        this.element = make('figure', { class: 'main-picture' }, make('div', { class: 'thumbnail' }, this.#enlarge, this.#absent),
            make('figcaption', {}, this.#title, this.#badge.element, this.#skew, this.actions, this.#faults, this.#words));
    }

    show(capture, faults = []) {
        const { device, picture, largest, phase, problem, notes } = capture;
        this.#capture = capture;
        setText(this.#title, device);
        this.#badge.update(describeOutcome(phase));
        setText(this.#skew, skewText(capture));
        update(this.#faults, faults.map((text) => make('li', { class: 'fault' }, make('span', { class: 'shape', 'aria-hidden': 'true', text: '▲' }), text)));
        update(this.#words, [...(problem ? [foreignText(problem, 'p', { class: 'problem' })] : []), ...notes.map((note) => foreignText(note, 'p', { class: 'note' }))]);
        this.#enlarge.disabled = !largest;
        this.#enlarge.setAttribute('aria-label', largest ? `Picture of ${device}, in full size` : `Picture of ${device}`);
        this.#image.alt = `Picture of ${device}`;
        this.#show(picture !== undefined, 'No picture stored');
        const source = picture && this.#gateway.url(picture);
        if (source && this.#image.dataset.source !== source) {
            this.#image.dataset.source = source;
            this.#image.src = source;
        }
    }

    #show(isThere, words) {
        this.#enlarge.hidden = !isThere;
        this.#absent.hidden = isThere;
        setText(this.#absent, words);
    }

    /** Where a reduced picture would be soft, the whole one takes its place. */
    #refine() {
        const { naturalWidth, naturalHeight, clientWidth, clientHeight, dataset, src } = this.#image;
        const shown = Math.min(clientWidth, (clientHeight * naturalWidth) / naturalHeight) * devicePixelRatio;
        const whole = this.#capture.largest && new URL(this.#gateway.url(this.#capture.largest), document.baseURI).href;
        if (!whole || src === whole || !src.endsWith(dataset.source) || naturalWidth < reducedFrom || shown < naturalWidth * mostStretch) return;
        this.#image.src = whole;
    }
}
