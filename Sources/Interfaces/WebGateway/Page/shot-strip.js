// The newest shots, whoever has triggered them, and the takes of this page and under way, the newest first.

import './shot-progress.js';
import './take-row.js';
import { make } from './elements.js';

const kept = 12;
/** The elements by the ids of their shots or takes, which are ordered by time. They outlive the view. */
const items = new Map();

/** Set `session` before it is connected. */
class ShotStrip extends HTMLElement {
    #list = make('div', { class: 'items', role: 'group', tabindex: '0', 'aria-label': 'Newest shots' });
    #nothing = make('p', { class: 'note', text: 'Shots and takes appear here as soon as they are stored.' });
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.append(this.#nothing, this.#list);
        this.#arrange();
        const { rig } = this.session;
        rig.addEventListener('event', ({ detail: { name, shot } }) => name === 'shot.accepted' && shot && this.#shot(shot), { signal: this.#end.signal });
        if (rig.may('read')) this.#readNewest();
    }

    disconnectedCallback() { this.#end.abort(); }

    get takes() { return [...items.values()].filter(({ take }) => take); }

    /** The element of a shot that this page triggers. */
    begin(shot) { return this.#shot(shot, { isOwn: true }); }

    /** The element of a take. */
    take(take) { return items.get(take) ?? this.#add(take, 'caprig-take', { take }); }

    #shot(shot, more) { return items.get(shot) ?? this.#add(shot, 'caprig-progress', { shot, ...more }); }

    #add(id, tag, properties) {
        const element = Object.assign(document.createElement(tag), { session: this.session, ...properties });
        items.set(id, element);
        this.#arrange();
        if (properties.isOwn || properties.take) this.#list.scrollTo({ left: 0 });
        return element;
    }

    /** A shot of somebody else may have come between. */
    #arrange() {
        const ids = [...items.keys()].sort().reverse();
        for (const id of ids.slice(kept)) {
            const old = items.get(id);
            if (old.isUnderWay && !old.isOver) continue;
            old.end();
            items.delete(id);
        }
        ids.filter((id) => items.has(id)).forEach((id, index) => {
            const element = items.get(id);
            if (this.#list.children[index] !== element) this.#list.insertBefore(element, this.#list.children[index] ?? null);
        });
        this.#nothing.hidden = items.size > 0;
        this.#list.hidden = items.size === 0;
    }

    async #readNewest() {
        try {
            const { shots } = await this.session.gateway.get(`shots?limit=${kept}`);
            for (const entry of shots) this.#shot(entry.id, { entry });
        } catch {
            // The strip fills with the next shot; the library says what is wrong.
        }
    }
}

customElements.define('caprig-strip', ShotStrip);
