// The audit log of the rig, for administrators: a page at a time, the newest records first.

import { blank, field, foreignText, heading, make, picker, setText, table } from './elements.js';
import { adminNote } from './keys-view.js';
import { instantText, integer } from './quantities.js';

const pageLength = 100;
const kinds = [
    ['', 'all'], ['admission', 'admissions'], ['revocation', 'revocations'], ['refusal', 'refusals'], ['trigger', 'shots and takes'],
    ['change', 'changes'], ['deletion', 'deletions'], ['start', 'starts'], ['end', 'ends'], ['log.lost', 'lost records'],
    ['log.recovered', 'recovered'], ['log.restarted', 'restarted chains'],
];

function detailText(details) {
    return Object.entries(details ?? {}).map(([name, value]) => `${name}=${value}`).join('  ');
}

function rowOf(record) {
    return make('tr', {}, make('td', { text: record.sequence }), make('td', { text: instantText(record.time) }), make('td', { text: record.kind }),
        make('td', {}, foreignText(record.principal || '–', 'span', { title: record.fingerprint || undefined })),
        make('td', {}, foreignText(record.subject)), make('td', {}, foreignText(detailText(record.details))));
}

/** What is known of the records that were read for a page. */
function chainText({ first, last }, count) {
    if (first === undefined) return 'There are no such records.';
    const range = integer(first) === integer(last) ? `Record ${first}` : `Records ${first} to ${last}`;
    return `${range} read, ${count} shown. Each follows from the one before it.`;
}

/** Set `session` before it is connected. */
class AuditLog extends HTMLElement {
    #kind = picker(kinds, '', { change: () => this.#begin() });
    #principal = make('input', { autocomplete: 'off', spellcheck: 'false', dir: 'auto' });
    #text = make('input', { type: 'search', dir: 'auto' });
    #summary = make('p', { role: 'status', class: 'note', dir: 'auto' });
    #problems = make('div', { role: 'alert' });
    #rows = make('tbody');
    #table = table('Audit log', 'log', ['Record', 'Time', 'Kind', 'By', 'Subject', 'Details'], this.#rows);
    #nothing = make('div');
    #newest = make('button', { type: 'button', text: 'Newest', click: () => this.#begin() });
    #older = make('button', { type: 'button', text: 'Older records', click: () => this.#continue() });
    #next;
    /** The newest request; the answers to earlier ones are too late. */
    #request = 0;

    connectedCallback() {
        this.append(heading('Audit'));
        if (!this.session.rig.may('admin')) {
            this.append(adminNote('The audit log needs'));
            return;
        }
        this.append(
            make('form', { class: 'toolbar', submit: (event) => this.#search(event) }, field('Records of', this.#kind),
                field('Caused by', this.#principal), field('Containing', this.#text), make('button', { text: 'Search' })),
            this.#summary, this.#problems,
            this.#nothing, this.#table,
            make('div', { class: 'toolbar' }, this.#newest, this.#older));
        this.#begin();
    }

    disconnectedCallback() { this.#request += 1; }

    #search(event) {
        event.preventDefault();
        this.#begin();
    }

    #begin() { this.#open(undefined); }

    /** The button has the focus, so it is not disabled at the end. */
    #continue() {
        if (this.#next) this.#open(this.#next);
        else setText(this.#summary, 'There are no older records.');
    }

    async #open(cursor) {
        this.#request += 1;
        const request = this.#request;
        const filters = { limit: pageLength, cursor, kind: this.#kind.value, principal: this.#principal.value.trim(), text: this.#text.value.trim() };
        const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== undefined && value !== ''));
        setText(this.#summary, 'Reading …');
        try {
            const page = await this.session.gateway.get(`audit?${query}`);
            if (request === this.#request) this.#show(page);
        } catch (problem) {
            if (request === this.#request) setText(this.#summary, problem.message);
        }
    }

    #show({ records = [], chain, next }) {
        this.#next = next;
        this.#older.setAttribute('aria-disabled', String(next === undefined));
        this.#rows.replaceChildren(...records.map(rowOf));
        this.#table.hidden = records.length === 0;
        this.#nothing.replaceChildren(...(records.length ? [] : [blank('No such record here',
            'Every admission, refusal, shot, take, change and deletion adds one. Choose all kinds, or clear the fields above.')]));
        this.#table.scrollTop = 0;
        const more = next === undefined ? ' There are no older ones.' : records.length ? '' : ' Older ones were not searched yet.';
        setText(this.#summary, chain.isIntact ? chainText(chain, records.length) + more : `Records ${chain.first} to ${chain.last} do not verify.${more}`);
        this.#problems.replaceChildren(...chain.problems.map((text) => foreignText(text, 'p', { class: 'warning' })));
    }
}

customElements.define('caprig-audit', AuditLog);
