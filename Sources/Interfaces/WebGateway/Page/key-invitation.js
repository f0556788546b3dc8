// Invites a machine or person: shows the join code once, also as a QR code.

import { field, foreignText, make, picker, setText } from './elements.js';
import { instantText } from './quantities.js';
import { qrPicture } from './qr-picture.js';

/** What a key may do, in order of how much. */
export const roles = [
    ['viewer', 'viewer: looks and reads'], ['operator', 'operator: also triggers and configures'], ['node', 'node: a machine with cameras'],
    ['dashboard', 'dashboard: a gateway'], ['admin', 'admin: everything, also keys'],
];
/** The names that a key may have (docs/keys.md). */
export const namePattern = '[a-z0-9][a-z0-9_\\-]{0,23}';

/** An input for the name of a key. */
export function nameInput(value = '') {
    return make('input', {
        name: 'name', required: true, pattern: namePattern, maxlength: '24', autocomplete: 'off', spellcheck: 'false', value,
        title: 'Lower-case letters, digits, _ and -, at most 24',
    });
}

/** Set `session` and, if only nodes are to be invited, `isForNode` before it is connected. Dispatches `changed` when there is another invitation. */
class KeyInvitation extends HTMLElement {
    #name = nameInput();
    #role = picker(roles, 'operator', { name: 'role' });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #code = make('div');

    connectedCallback() {
        this.append(make('form', { class: 'toolbar', submit: (event) => this.#invite(event) },
            field(this.isForNode ? 'Name of the node' : 'Name of the invited', this.#name), !this.isForNode && field('Role', this.#role),
            make('button', { class: 'primary', text: this.isForNode ? 'Make a join code' : 'Invite' })),
        this.#answer, this.#code);
    }

    /** The code is a secret: it does not outlive the view. */
    disconnectedCallback() { this.#code.replaceChildren(); }

    async #invite(event) {
        event.preventDefault();
        const body = { name: this.#name.value, role: this.isForNode ? 'node' : this.#role.value };
        this.#code.replaceChildren();
        try {
            this.#show(await this.session.gateway.send('POST', 'keys/invitations', body));
            this.#name.value = '';
        } catch (problem) {
            setText(this.#answer, problem.text('It is not known whether the invitation was made; the list below shows it.'));
        }
        this.dispatchEvent(new Event('changed'));
    }

    #show({ name, role, command, expires, qr }) {
        setText(this.#answer, `${name} is invited as ${role} until ${instantText(expires)}. The command is shown once; it contains the code.`);
        const text = foreignText(command, 'code', { tabindex: '0', role: 'textbox', 'aria-readonly': 'true', 'aria-label': `Command for ${name}` });
        const copied = make('span', { role: 'status' });
        const copy = make('button', { type: 'button', text: 'Copy', click: async () => {
            await navigator.clipboard.writeText(command).then(
                () => setText(copied, 'Copied.'), () => setText(copied, 'This browser does not copy; select the command.'));
        } });
        const hide = make('button', { type: 'button', text: 'Hide', click: () => {
            this.#code.replaceChildren();
            setText(this.#answer, '');
            this.#name.focus();
        } });
        // Browsers give pages a clipboard over TLS and on the machine itself only.
        this.#code.replaceChildren(make('div', { class: 'code' },
            make('p', {}, `Run this on the machine of ${name}:`), text, navigator.clipboard ? copy : undefined, hide, copied,
            qr && qrPicture(qr, `QR code of the command for ${name}`)));
    }
}

customElements.define('caprig-invitation', KeyInvitation);
