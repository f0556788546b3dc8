// Sessions and tokens: own ones, all of them for an administrator.

import { listCard } from './card-list.js';
import { make, setText } from './elements.js';
import { instantText } from './quantities.js';

/** Set `session` before it is connected. */
class SessionList extends HTMLElement {
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #rows = make('ul', { class: 'cards', 'aria-label': 'Sessions' });

    connectedCallback() {
        // Without buttons in it, it could not be scrolled by keyboard.
        if (!this.session.rig.may('admin')) this.#rows.tabIndex = 0;
        this.append(this.#answer, this.#rows);
        this.#load();
    }

    async #load() {
        try {
            const { sessions = [] } = await this.session.gateway.get('sessions');
            this.#rows.replaceChildren(...sessions.map((session) => this.#row(session)));
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }

    #row({ id, kind, label, expires, maker }) {
        const isOwn = id === this.session.rig.identity.session?.id;
        const name = label || id;
        const end = make('button', { type: 'button', text: 'End', 'aria-label': `End ${kind ?? 'session'} ${name}`, click: () => this.#close(id) });
        return listCard(name, kind ?? '', [['Holder', maker], ['Ends', expires ? instantText(expires) : '']],
            isOwn ? 'this session' : this.session.rig.may('admin') ? end : '');
    }

    async #close(id) {
        try {
            await this.session.gateway.send('DELETE', `sessions/${encodeURIComponent(id)}`);
            setText(this.#answer, 'Ended.');
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
        await this.#load();
    }
}

customElements.define('caprig-sessions', SessionList);
