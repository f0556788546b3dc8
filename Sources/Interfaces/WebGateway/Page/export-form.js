// The form that downloads shots or takes as one archive.

import { field, freshID, make, setText } from './elements.js';
import { counted } from './quantities.js';

/** The most shots of one archive. */
export const exportLimit = 100;

const layouts = [
    { name: 'by-shot', label: 'a folder for each shot' },
    { name: 'by-camera', label: 'a folder for each camera' },
    { name: 'colmap', label: 'COLMAP', takes: false },
    { name: 'realitycapture', label: 'RealityCapture', takes: false },
    { name: 'timeline', label: 'a timeline for editing programs', takes: true },
];

/** `isOfTakes` says which layouts are possible, and the note which are not, and why. */
function layoutPicker(isOfTakes) {
    const options = layouts.map(({ name, label, takes = isOfTakes }) => {
        const option = make('option', { value: name, text: label });
        option.disabled = takes !== isOfTakes;
        return option;
    });
    const note = isOfTakes ? 'COLMAP and RealityCapture are for stills, and takes have none.' : 'Only takes have a timeline.';
    return { select: make('select', {}, options), note };
}

/**
 * A form that exports what `selected()` returns, a list of ids. `update()` is to be called when that has changed.
 * Buttons in `actions` come after that of the export.
 */
export class ExportForm {
    #session;
    #selected;
    #noun;
    #picker;
    #button = make('button', { type: 'submit', class: 'primary', text: 'Export' });
    #reason = make('p', { class: 'note', id: freshID('reason') });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #isAsking = false;

    constructor(session, { isOfTakes, label, selected, actions = [] }) {
        this.#session = session;
        this.#selected = selected;
        this.#noun = isOfTakes ? 'take' : 'shot';
        const { select, note } = layoutPicker(isOfTakes);
        this.#picker = select;
        this.#button.setAttribute('aria-describedby', this.#reason.id);
        this.element = make('form', { class: 'toolbar export', 'aria-label': label },
            field('Layout of the archive', select, note), this.#button, ...actions, this.#reason, this.#answer);
        this.element.addEventListener('submit', (event) => {
            event.preventDefault();
            this.#export();
        });
        this.update();
    }

    update() {
        const { length } = this.#selected();
        setText(this.#reason, this.#refusal(length) ?? `${counted(length, this.#noun)} selected.`);
        this.#button.disabled = this.#isAsking || this.#refusal(length) !== undefined;
    }

    /** Replaces what the last export has said. */
    say(text) { setText(this.#answer, text); }

    #refusal(count) {
        if (!this.#session.rig.may('read')) return 'This session does not have the permission to read stored files.';
        if (count === 0) return `Select the ${this.#noun}s to export.`;
        if (count > exportLimit) return `${counted(count, this.#noun)} selected; one archive has at most ${exportLimit}.`;
        return undefined;
    }

    /** Asks whether the download would begin, since a browser does not say why one has failed, and begins it. */
    async #export() {
        const ids = this.#selected();
        if (this.#button.disabled) return;
        const query = new URLSearchParams([...ids.map((id) => ['shot', id]), ['layout', this.#picker.value]]);
        this.#isAsking = true;
        this.say('Asking the rig …');
        this.update();
        try {
            await this.#session.gateway.probe(`export?${query}`);
            const link = make('a', { href: this.#session.gateway.url(`export?${query}`), download: true, hidden: true });
            this.element.append(link);
            link.click();
            link.remove();
            this.say(`The download of ${counted(ids.length, this.#noun)} has begun. Its export.json says what became of every file.`);
        } catch (problem) {
            this.say(problem.message);
        }
        this.#isAsking = false;
        this.update();
        this.#button.focus();
    }
}
