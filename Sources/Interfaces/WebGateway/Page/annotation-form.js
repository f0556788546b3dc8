// Title and note of a shot.

import { field, foreignText, make, setText } from './elements.js';
import { Problem } from './gateway.js';
import { readShot } from './shot-document.js';

/** How often a change is sent while other parts of the shot change. */
const attempts = 5;

/** Set `session` and `shot`, then `show` what is stored. Dispatches `changed` when the rig has stored a change. */
class AnnotationForm extends HTMLElement {
    #title = make('input', { type: 'text', dir: 'auto', maxlength: '200', autocomplete: 'off', class: 'wide' });
    #note = make('textarea', { dir: 'auto', rows: '3', class: 'wide' });
    #save = make('button', { type: 'submit', text: 'Save title and note' });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    /** What somebody else has stored since, and what to do. */
    #conflict = make('div', { role: 'group', 'aria-label': 'Conflict', hidden: true });
    /** The texts as the rig has stored them, and the entity tag of the shot with them. */
    #stored = { title: '', note: '', tag: undefined };
    #isShown = false;

    connectedCallback() {
        this.append(make('form', { submit: (event) => this.#submit(event) },
            field('Title', this.#title), field('Note', this.#note), this.#save, this.#answer, this.#conflict));
        const isPermitted = this.session.rig.may('trigger');
        for (const control of [this.#title, this.#note, this.#save]) control.disabled = !isPermitted;
        if (!isPermitted) setText(this.#answer, 'Changes need the permission to trigger.');
    }

    /** The texts that differ from the stored ones. */
    get #change() {
        const change = {};
        if (this.#title.value !== this.#stored.title) change.title = this.#title.value;
        // A text area normalizes line ends.
        if (this.#note.value !== normalized(this.#stored.note)) change.note = this.#note.value;
        return change;
    }

    /** Shows what the rig has stored, unless a person is editing. */
    show({ title, note, tag }) {
        if (this.#isShown && Object.keys(this.#change).length) {
            // Something else of the shot has changed, such as a file that has arrived.
            if (title === this.#stored.title && note === this.#stored.note) this.#stored.tag = tag;
            return;
        }
        this.#isShown = true;
        this.#take({ title, note, tag });
    }

    /** Takes over what the rig has stored, except the texts of `kept`. */
    #take(stored, kept = {}) {
        this.#stored = stored;
        if (!('title' in kept)) this.#title.value = stored.title;
        if (!('note' in kept)) this.#note.value = stored.note;
        this.#conflict.hidden = true;
    }

    async #submit(event) {
        event.preventDefault();
        const change = this.#change;
        if (!Object.keys(change).length) {
            setText(this.#answer, 'Nothing has changed.');
            return;
        }
        setText(this.#answer, 'Saving …');
        this.#conflict.hidden = true;
        try {
            await this.#store(change);
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }

    /** Stores a change, unless somebody else has changed the same text since it was shown. */
    async #store(change) {
        const path = `shots/${encodeURIComponent(this.shot)}`;
        for (let attempt = 0; attempt < attempts; attempt += 1) {
            try {
                const { document, tag } = await this.session.gateway.exchange('PATCH', path, { body: change, match: this.#stored.tag });
                this.#stored = { title: document.title, note: document.note, tag };
                setText(this.#answer, 'Saved.');
                this.dispatchEvent(new Event('changed'));
                return;
            } catch (problem) {
                if (problem.status !== 412) throw problem;
            }
            const { document, tag } = await this.session.gateway.exchange('GET', path);
            const { title, note } = readShot(document);
            const theirs = { title, note, tag };
            const contested = Object.keys(change).filter((name) => theirs[name] !== this.#stored[name]);
            if (contested.length) {
                this.#explain(theirs, contested);
                return;
            }
            this.#take(theirs, change);
        }
        throw new Problem('The shot keeps changing, so nothing was saved. Save again in a moment.');
    }

    /** Says what somebody else has stored in place of the texts that this person has edited. */
    #explain(theirs, contested) {
        setText(this.#answer, `Somebody else has changed the ${contested.join(' and the ')} since you opened it. Yours is not saved.`);
        this.#conflict.replaceChildren(
            ...contested.map((name) => foreignText(theirs[name] ? `The ${name} is: ${theirs[name]}` : `The ${name} is empty.`, 'p')),
            make('button', { type: 'button', text: 'Reload', click: () => {
                this.#take(theirs);
                setText(this.#answer, '');
            } }),
            make('button', { type: 'button', text: 'Save mine', click: (event) => {
                this.#stored = theirs;
                this.#submit(event);
            } }));
        this.#conflict.hidden = false;
    }
}

function normalized(text) { return text.replace(/\r\n?/g, '\n'); }

customElements.define('caprig-annotation', AnnotationForm);
