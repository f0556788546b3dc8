// A shot or take in the library: small pictures, its title, which is edited in place, and its outcome.

import { badge, describeOutcome } from './conditions.js';
import { make, setText } from './elements.js';
import { counted, timeText } from './quantities.js';
import { readShot } from './shot-document.js';
import { verification } from './verification.js';

/** `entry` is that of the listing. */
export class LibraryCard {
    choice = make('input', { type: 'checkbox', class: 'selects' });
    #session;
    #entry;
    #head = make('div', { class: 'head' });
    #state = make('span', { class: 'state' });
    #foot = make('div', { class: 'foot' });
    #problem = make('p', { class: 'problem', role: 'alert', dir: 'auto' });
    /** The title as the rig has stored it when the person saw it. */
    #seen;
    #isSaving = false;

    constructor(session, entry, thumbnails) {
        this.#session = session;
        this.#entry = entry;
        const place = make('div', { class: 'thumbnails' });
        thumbnails.observe(place, entry.id);
        this.element = make('li', { class: 'card' },
            make('a', { class: 'cover', href: this.#address, tabindex: '-1', 'aria-hidden': 'true' }, place, entry.isTake && make('span', { class: 'sort', text: 'Take' })),
            this.choice, this.#state, this.#head, this.#problem, this.#foot);
        this.element.addEventListener('keydown', (event) => event.key === 'F2' && this.#edit());
        this.#show();
    }

    get #address() { return `#shot/${this.#entry.id}`; }

    #show() {
        const { id, time, status, done, expected, title, isTake } = this.#entry;
        const [clock, short] = [timeText(time), id.slice(-6)];
        const name = title || `${clock}, ${short}`;
        this.choice.setAttribute('aria-label', `Select ${name}`);
        this.#head.replaceChildren(make('h3', {}, make('a', { href: this.#address, dir: 'auto', 'aria-label': name, text: title || clock })),
            this.#session.rig.may('trigger') ? make('button', { class: 'plain rename', text: '✎', 'aria-label': `Rename ${name}`, title: 'Rename (F2)', click: () => this.#edit() }) : '');
        this.#state.replaceChildren(badge(describeOutcome(status)));
        this.#foot.replaceChildren(make('p', { class: 'figures', text: `${title ? clock : short} · ${done} of ${counted(expected, 'camera')}` }),
            isTake ? make('a', { href: `${this.#address}?play`, text: 'Play', 'aria-label': `Play ${name}` }) : '',
            verification(this.#session, id, name));
    }

    #edit() {
        if (!this.#session.rig.may('trigger') || this.#head.querySelector('input')) return;
        this.#seen = this.#entry.title;
        const input = make('input', { class: 'title', dir: 'auto', 'aria-label': 'Title', value: this.#seen });
        input.addEventListener('keydown', (event) => {
            if (event.key === 'Escape') this.#close();
            if (event.key === 'Enter') this.#save(input.value.trim());
        });
        input.addEventListener('blur', () => input.isConnected && input.value === this.#seen && this.#close(false));
        this.#head.replaceChildren(input);
        setText(this.#problem, '');
        input.select();
    }

    #close(movesFocus = true) {
        setText(this.#problem, '');
        this.#show();
        if (movesFocus) this.#head.querySelector('a').focus();
    }

    /** Stores the title, unless somebody else has changed it since this person saw it. */
    async #save(title) {
        if (this.#isSaving) return;
        this.#isSaving = true;
        try {
            setText(this.#problem, await this.#store(title) ?? '');
        } catch (problem) {
            setText(this.#problem, problem.message);
        }
        this.#isSaving = false;
    }

    /** Returns why the title is not stored. */
    async #store(title) {
        const path = `shots/${encodeURIComponent(this.#entry.id)}`;
        const { document, tag } = await this.#session.gateway.exchange('GET', path);
        const theirs = readShot(document).title;
        if (theirs !== this.#seen) {
            this.#entry.title = this.#seen = theirs;
            return `Somebody else has ${theirs ? `changed the title to: ${theirs}` : 'removed the title'}. Enter replaces it, Escape keeps it.`;
        }
        await this.#session.gateway.exchange('PATCH', path, { body: { title }, match: tag });
        this.#entry.title = title;
        this.#close();
        return undefined;
    }
}
