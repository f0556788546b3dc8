// Marks on a shot's pictures that somebody does not want. A mark deletes nothing.

import { takesLetters } from './elements.js';

/** The marks of one shot. Dispatches `changed` when one changes, `stored` when the rig has stored all, `problem` when it refuses. */
export class RejectMarks extends EventTarget {
    #marked = new Set();
    #waiting = [];
    #isSending = false;

    constructor(gateway, shot) {
        super();
        this.gateway = gateway;
        this.shot = shot;
    }

    has(device) { return this.#marked.has(device); }

    /** Takes over what the rig has stored, unless marks are still on the way to it. */
    show(rejected) {
        if (this.#isSending) return;
        this.#marked = new Set(rejected);
        this.dispatchEvent(new Event('changed'));
    }

    /** Changes the mark of a camera, shows it at once, and sends changes one after the other. */
    toggle(device) {
        const isMarked = !this.#marked.has(device);
        this.#mark(device, isMarked);
        this.#waiting.push({ device, isMarked });
        this.#send();
    }

    #mark(device, isMarked) {
        if (isMarked) this.#marked.add(device);
        else this.#marked.delete(device);
        this.dispatchEvent(new Event('changed'));
    }

    async #send() {
        if (this.#isSending) return;
        this.#isSending = true;
        while (this.#waiting.length) {
            const { device, isMarked } = this.#waiting.shift();
            try {
                await this.gateway.send('PATCH', `shots/${encodeURIComponent(this.shot)}`,
                    isMarked ? { reject: [device] } : { accept: [device] });
            } catch (problem) {
                // The marks that follow are not sent either: they were made without knowing of this.
                for (const left of [...this.#waiting.splice(0).reverse(), { device, isMarked }]) this.#mark(left.device, !left.isMarked);
                this.dispatchEvent(new CustomEvent('problem', { detail: problem.message }));
            }
        }
        this.#isSending = false;
        this.dispatchEvent(new Event('stored'));
    }
}

/** The button that toggles the mark of a camera, by press and by the key X while the focus is in `card`. */
export function addRejectButton(button, card, device, marks) {
    const show = () => {
        button.setAttribute('aria-pressed', String(marks.has(device)));
        card.classList.toggle('is-rejected', marks.has(device));
    };
    button.addEventListener('click', () => marks.toggle(device));
    card.addEventListener('keydown', (event) => {
        const isPlain = !event.repeat && !event.ctrlKey && !event.altKey && !event.metaKey;
        if (button.disabled || !isPlain || event.key.toLowerCase() !== 'x' || takesLetters(event.target)) return;
        event.preventDefault();
        marks.toggle(device);
    });
    marks.addEventListener('changed', show);
    show();
}
