// Sessions and tokens: own ones, all of them for an administrator.

import { foreignText, make, setText } from './elements.js';
import { instantText } from './quantities.js';

/** Set `session` before it is connected. */
class SessionList extends HTMLElement {
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #rows = make('tbody');

    connectedCallback() {
        const head = make('tr', {}, ['Kind', 'Label', 'Holder', 'Ends', 'Action'].map((text) => make('th', { scope: 'col', text })));
        this.append(this.#answer, make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Sessions' },
            make('table', {}, make('thead', {}, head), this.#rows)));
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
        return make('tr', {}, make('td', { text: kind ?? '' }), make('td', {}, foreignText(name)), make('td', {}, foreignText(maker ?? '')),
            make('td', { text: expires ? instantText(expires) : '' }), make('td', {}, isOwn ? 'this session' : this.session.rig.may('admin') ? end : ''));
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
