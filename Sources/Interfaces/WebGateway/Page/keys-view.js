// The view Keys: who may reach the rig, for administrators; and sessions and tokens.

import './key-list.js';
import './session-list.js';
import { heading, make } from './elements.js';

/** Said where a session without the permission finds nothing. */
export const adminNote = (what) => make('p', {}, `${what} the permission to administer the rig, which a session has if it is begun with `,
    make('code', { text: 'capctl web login --may admin' }), ' and further permissions.');

/** Set `session` before it is connected. */
class KeysView extends HTMLElement {
    connectedCallback() {
        const isAdmin = this.session.rig.may('admin');
        const part = (name) => Object.assign(document.createElement(`caprig-${name}`), { session: this.session });
        this.append(heading('Keys'), isAdmin ? part('key-list') : adminNote('Keys need'),
            make('section', {}, make('h2', { text: isAdmin ? 'Sessions of all keys' : 'Your sessions' }), part('sessions')));
    }
}

customElements.define('caprig-keys', KeysView);
