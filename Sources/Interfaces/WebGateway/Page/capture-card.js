// One camera's part of a shot in the filmstrip: its small picture, its outcome, and its mark.

import { Badge, describeOutcome } from './conditions.js';
import { foreignText, make, setText, smallPicture } from './elements.js';
import { durationText } from './quantities.js';
import { addRejectButton } from './reject-marks.js';

/** How far a picture is from T, with its bound. */
export const skewText = ({ skew, bound }) => (skew === undefined ? '' : `skew ${durationText(skew, { signed: true })} ± ${durationText(bound)}`);

/** A card that is updated as outcomes arrive; its picture is loaded once. */
export class CaptureCard {
    element = make('article', { class: 'card capture' });
    #picture = make('span', { class: 'thumbnail' });
    #choose;
    #badge = new Badge(describeOutcome('pending'));
    #skew = make('p', { class: 'figures' });
    #fault = make('p', { class: 'mark-of-fault' });
    #problem = foreignText('', 'p', { class: 'problem' });
    #source;

    /** `marks` are the shot's reject marks; `mayMark`: whether the session may change them. `choose` is called when the camera is chosen. */
    constructor(gateway, device, marks, mayMark, choose) {
        this.gateway = gateway;
        const reject = make('button', {
            type: 'button', class: 'reject', text: 'Reject', 'aria-label': `Reject ${device}`, 'aria-keyshortcuts': 'x',
            title: mayMark ? 'Mark this picture as rejected (X); it is not deleted' : 'Marks need the permission to trigger',
            disabled: !mayMark,
        });
        addRejectButton(reject, this.element, device, marks);
        this.#choose = make('button', { type: 'button', class: 'enlarge', 'aria-label': `Show ${device}`, 'aria-pressed': 'false', click: choose }, this.#picture);
        this.element.append(this.#choose, make('h3', { dir: 'auto', text: device }),
            make('div', { class: 'outcome' }, this.#badge.element, reject), this.#skew, this.#fault, this.#problem);
    }

    set isChosen(isChosen) {
        const wasChosen = this.#choose.getAttribute('aria-pressed') === 'true';
        this.#choose.setAttribute('aria-pressed', String(isChosen));
        if (!isChosen || wasChosen) return;
        // Along the strip alone: the page stays where it is.
        const { element, element: { parentElement: strip } } = this;
        const [before, beyond] = [element.offsetLeft - strip.offsetLeft, element.offsetLeft + element.offsetWidth - strip.offsetLeft - strip.clientWidth];
        strip.scrollLeft = Math.min(before, Math.max(beyond, strip.scrollLeft));
    }

    /** What is wrong with the picture as far as it can be seen, sentences. Their beginnings say what. */
    showFaults(faults) { setText(this.#fault, faults.length ? `▲ ${faults.map((text) => text.split(':')[0]).join(', ')}` : ''); }

    update(capture) {
        this.#badge.update(describeOutcome(capture.phase));
        setText(this.#skew, skewText(capture));
        setText(this.#problem, capture.problem);
        const { picture } = capture;
        if (picture === this.#source && this.#picture.firstChild) return;
        this.#source = picture;
        const absent = make('span', { text: picture ? 'No picture can be shown' : 'No picture stored' });
        this.#picture.replaceChildren(picture ? smallPicture(this.gateway.url(picture), '', absent) : absent);
    }
}
