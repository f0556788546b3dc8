// The keys of the rig, invitations, and machines that ask to join, for administrators.

import './key-invitation.js';
import { fingerprintCode, listCard } from './card-list.js';
import { choice, field, foreignText, make, picker, setText, update } from './elements.js';
import { nameInput, roles } from './key-invitation.js';
import { ask } from './question.js';
import { counted, instantText } from './quantities.js';

/** How often the lists are read again while they are visible, milliseconds: machines may ask at any time. */
const interval = 5000;
/** How many characters of a fingerprint select a request. */
const comparedDigits = 12;
const unknown = 'It is not known whether that was done; the lists below show it.';

function withoutLabel(fingerprint) { return fingerprint.replace(/^SHA256:/i, ''); }

function code(fingerprint) { return make('code', { text: fingerprint }); }

/** Set `session` before it is connected. */
class KeyList extends HTMLElement {
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto', tabindex: '-1' });
    #requests = make('ul', { class: 'cards', 'aria-label': 'Machines that ask to join' });
    #invitations = make('ul', { class: 'cards', 'aria-label': 'Open invitations' });
    #keys = make('ul', { class: 'cards', 'aria-label': 'Admitted keys' });
    #asking = make('section', { hidden: true });
    #invited = make('section', { hidden: true });
    #revoked = choice('Show revoked keys', { change: () => this.#show() });
    #own = make('p', { class: 'note' });
    #list;
    #hasFailed = false;
    #timer;

    connectedCallback() {
        const invitation = document.createElement('caprig-invitation');
        invitation.session = this.session;
        invitation.addEventListener('changed', () => this.#load());
        this.#asking.append(make('h2', { text: 'Machines that ask to join' }), this.#requests);
        this.#invited.append(make('h2', { text: 'Open invitations' }), this.#invitations);
        this.append(this.#answer, this.#asking, make('h2', { text: 'Invite' }), invitation, this.#invited,
            make('div', { class: 'head' }, make('h2', { text: 'Admitted keys' }), this.#revoked.row), this.#keys, this.#own);
        this.#timer = setInterval(() => document.visibilityState === 'visible' && !this.session.rig.isOld && this.#load(), interval);
        this.#load();
    }

    disconnectedCallback() { clearInterval(this.#timer); }

    async #load() {
        try {
            this.#list = await this.session.gateway.get('keys');
            if (this.#hasFailed) setText(this.#answer, '');
            this.#hasFailed = false;
            this.#show();
        } catch (problem) {
            this.#hasFailed = true;
            setText(this.#answer, problem.message);
        }
    }

    #show() {
        const { keys = [], invitations = [], requests = [], coordinator } = this.#list ?? {};
        const open = invitations.filter(({ state }) => state === 'open');
        update(this.#requests, requests.map((request) => this.#request(request)));
        update(this.#invitations, open.map((invitation) => this.#invitation(invitation)));
        update(this.#keys, keys.filter(({ revoked }) => !revoked || this.#revoked.input.checked).map((key) => this.#key(key)));
        this.#asking.hidden = requests.length === 0;
        this.#invited.hidden = open.length === 0;
        const count = keys.filter(({ revoked }) => revoked).length;
        setText(this.#own, `${counted(count, 'revoked key')}.${coordinator ? ` The coordinator's own key is ${coordinator.fingerprint}.` : ''}`);
    }

    #button(text, label, click) { return make('button', { type: 'button', text, 'aria-label': label, click }); }

    #request(request) {
        const { name, role, fingerprint, asked, declined } = request;
        const actions = declined ? ['declined'] : [
            this.#button('Approve …', `Approve ${name}`, () => this.#approve(request)),
            this.#button('Decline', `Decline ${name}`, () => this.#send('POST', 'keys/declines', { fingerprint }, `${name} is declined.`))];
        return listCard(name, role, [['Asked', instantText(asked)], ['Fingerprint', fingerprintCode(fingerprint)]], ...actions);
    }

    #invitation({ name, role, issuedBy, expires }) {
        return listCard(name, role, [['By', issuedBy], ['Until', instantText(expires)]], this.#button('Withdraw', `Withdraw the invitation of ${name}`,
            () => this.#send('DELETE', `keys/invitations/${encodeURIComponent(name)}`, undefined, `The invitation of ${name} has ended.`)));
    }

    #key(key) {
        const { name, role, fingerprint, admitted, admittedBy, means, revoked, revokedBy } = key;
        const print = ['Fingerprint', fingerprintCode(fingerprint)];
        if (revoked) return listCard(name, role, [['State', 'revoked'], ['Since', instantText(revoked)], ['By', revokedBy], print]);
        return listCard(name, role, [['State', `active (${means})`], ['Since', instantText(admitted)], ['By', admittedBy], print],
            this.#button('Rename …', `Rename ${name}`, () => this.#rename(key)),
            this.#button('Revoke …', `Revoke ${name}`, () => this.#revoke(key)));
    }

    /** Whoever approves compares the fingerprint with what the machine shows: typing its beginning shows that it was looked at. */
    async #approve({ name, role, fingerprint }) {
        const digits = withoutLabel(fingerprint);
        const shown = make('input', { name: 'fingerprint', required: true, autocomplete: 'off', spellcheck: 'false', input: () => {
            const typed = withoutLabel(shown.value.trim());
            const isSame = typed.length >= comparedDigits && digits.startsWith(typed);
            shown.setCustomValidity(isSame ? '' : `These are not the first ${comparedDigits} characters of the request’s fingerprint. If the machine shows them, another one asks: decline.`);
        } });
        const [named, chosen] = [nameInput(name), picker(roles, role, { name: 'role' })];
        const agreed = await ask({
            title: `Approve ${name}?`, verb: 'Approve',
            text: ['Look at the machine that asks. It must show this fingerprint:', make('p', {}, code(fingerprint))],
            fields: [field(`First ${comparedDigits} characters that the machine shows`, shown), field('Name', named), field('Role', chosen)],
        });
        if (!agreed) return;
        const body = { fingerprint, name: named.value, role: chosen.value };
        await this.#send('POST', 'keys/approvals', body, `${named.value} is approved as ${chosen.value}, with ${fingerprint}.`);
    }

    async #rename({ name, role }) {
        const named = nameInput(name);
        const text = role === 'node' ? ['The name of a node’s key is the name of the node. The node itself must be configured with it.'] : [];
        if (!await ask({ title: `Rename ${name}`, verb: 'Rename', text, fields: [field('Other name', named)] })) return;
        await this.#send('PATCH', `keys/${encodeURIComponent(name)}`, { name: named.value }, `${name} is named ${named.value}.`);
    }

    async #revoke({ name, role, fingerprint }) {
        const agreed = await ask({
            title: `Revoke ${name}?`, verb: `Revoke ${name} for ever`,
            text: [`The key of ${name} (${role}) ends for ever, and with it:`, make('ul', {}, (await this.#ends(name, role)).map((text) => foreignText(text, 'li'))),
                make('p', {}, code(fingerprint))],
        });
        if (agreed) await this.#send('DELETE', `keys/${encodeURIComponent(fingerprint)}`, undefined, `${name} is revoked.`);
    }

    /** What ends with a key, each in a sentence. */
    async #ends(name, role) {
        const { sessions = [], problem } = await this.session.gateway.get('sessions').catch((problem) => ({ problem }));
        const own = sessions.filter(({ maker }) => maker === name);
        const isThis = own.some(({ id }) => id === this.session.rig.identity.session?.id);
        return [
            'its connections to the coordinator and to every node',
            role === 'node' ? `the node ${name} leaves the rig: its cameras take no part in shots until it joins again` : '',
            role === 'dashboard' ? `every page and script that reaches the rig through the gateway ${name}` : '',
            ...own.map(({ kind, label, id }) => `the ${kind ?? 'session'} ${label || id}`),
            problem ? `its sessions and tokens, which cannot be listed: ${problem.message}` : '',
            isThis ? 'this session: the page signs out' : '',
        ].filter(Boolean);
    }

    async #send(method, path, body, done) {
        setText(this.#answer, 'Asking the rig …');
        try {
            await this.session.gateway.send(method, path, body);
            setText(this.#answer, done);
        } catch (problem) {
            setText(this.#answer, problem.text(unknown));
        }
        await this.#load();
        // The button that had the focus may be gone with its row.
        if (this.isConnected && document.activeElement === document.body) this.#answer.focus();
    }
}

customElements.define('caprig-key-list', KeyList);
