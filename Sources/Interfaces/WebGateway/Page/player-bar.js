// The bar of the player: where it is, with marks, and the list of marks.

import { foreignText, freshID, make, setText } from './elements.js';

/** Dispatches `drag` (`detail`: seconds) and `drop` while somebody moves the bar, and `jump` when a mark is chosen. */
export class PlayerBar extends EventTarget {
    #range = make('input', { type: 'range', min: '0', max: '0', step: 'any', class: 'position', id: freshID('position'), 'aria-label': 'Position' });
    #ticks = make('div', { class: 'ticks', 'aria-hidden': 'true' });
    #time = make('p', { class: 'figures' });
    element = make('div', { class: 'bar' }, this.#range, this.#ticks, this.#time);
    /** The marks as buttons. */
    marks = make('ul', { class: 'player-marks', 'aria-label': 'Marks' });
    #shown = '';
    #isDragged = false;

    constructor() {
        super();
        this.#range.addEventListener('input', () => {
            this.#isDragged = true;
            this.dispatchEvent(new CustomEvent('drag', { detail: Number(this.#range.value) }));
        });
        this.#range.addEventListener('change', () => {
            this.#isDragged = false;
            this.dispatchEvent(new Event('drop'));
        });
    }

    /** `marks`: `time` and `text`, in the order of time. The bar reaches from `begin` to `end`. */
    show(begin, end, marks) {
        const shown = JSON.stringify([begin, end, marks]);
        if (shown === this.#shown) return;
        this.#shown = shown;
        Object.assign(this.#range, { min: String(begin), max: String(end) });
        const isInside = ({ time }) => time >= begin && time <= end;
        this.#ticks.replaceChildren(...marks.filter(isInside).map(({ time }) => {
            const tick = make('span', { text: '▾' });
            tick.style.insetInlineStart = `${(100 * (time - begin)) / Math.max(1e-9, end - begin)}%`;
            return tick;
        }));
        this.marks.replaceChildren(...marks.map(({ time, text }) => make('li', {}, make('button', {
            type: 'button', click: () => this.dispatchEvent(new CustomEvent('jump', { detail: time })),
        }, foreignText(text)))));
    }

    /** Where the player is, with words for it. */
    setPosition(position, text, spoken) {
        if (!this.#isDragged) this.#range.value = String(position);
        setText(this.#time, text);
        this.#range.setAttribute('aria-valuetext', spoken);
    }
}
