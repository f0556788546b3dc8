// The view Library: shots or takes by day, newest first, page by page.

import { badge, describeOutcome } from './conditions.js';
import { foreignText, heading, make, setText } from './elements.js';
import { ExportForm } from './export-form.js';
import { filterForm, queryOf } from './library-filters.js';
import { Thumbnails } from './library-thumbnails.js';
import { counted, dayText, timeText } from './quantities.js';
import { verification } from './verification.js';

const pageSize = 30;

/** Set `session` and `filters` before it is connected. */
class LibraryView extends HTMLElement {
    #days = make('div', { class: 'days' });
    #status = make('p', { role: 'status', dir: 'auto' });
    #more = make('button', { type: 'button', text: 'Show more', hidden: true, click: () => this.#load() });
    #news = make('button', { type: 'button', text: 'There are newer shots: show them', hidden: true, click: () => this.#reload() });
    #count = 0;
    #cursor;
    #day;
    #list;
    /** The checkboxes of the rows, by id. */
    #choices = new Map();
    #export;
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.#export = new ExportForm(this.session, {
            isOfTakes: this.#noun === 'take', label: 'Export', selected: () => this.#selected,
            actions: [make('button', { type: 'button', text: 'Clear selection', click: () => this.#select([...this.#choices.values()], false) })],
        });
        this.thumbnails = new Thumbnails(this.session.gateway);
        this.append(heading(this.#noun === 'take' ? 'Library: takes' : 'Library'), filterForm(this.filters), this.#export.element,
            this.#status, this.#news, this.#days, this.#more);
        this.session.rig.addEventListener('event', (event) => this.#hear(event.detail), { signal: this.#end.signal });
        this.#load();
    }

    disconnectedCallback() {
        this.#end.abort();
        this.thumbnails.end();
    }

    get #noun() { return this.filters.get('takes') === 'true' ? 'take' : 'shot'; }

    get #selected() { return [...this.#choices].filter(([, { checked }]) => checked).map(([id]) => id); }

    #select(choices, isSelected) {
        for (const choice of choices) choice.checked = isSelected;
        this.#export.update();
    }

    #hear({ name, shot }) {
        if (name === `${this.#noun}.settled`) this.#news.hidden = false;
        if (name === `${this.#noun}.deleted`) this.#remove(shot);
    }

    #remove(shot) {
        const choice = this.#choices.get(shot);
        if (!choice) return;
        this.#choices.delete(shot);
        choice.closest('li').remove();
        this.#export.update();
    }

    #reload() {
        this.#days.replaceChildren();
        this.#choices.clear();
        this.#export.update();
        Object.assign(this.#news, { hidden: true });
        [this.#count, this.#cursor, this.#day, this.#list] = [0, undefined, undefined, undefined];
        this.#load();
    }

    async #load() {
        const query = queryOf(this.filters);
        query.set('limit', String(pageSize));
        if (this.#cursor) query.set('cursor', this.#cursor);
        this.#more.disabled = true;
        setText(this.#status, 'Asking the rig …');
        try {
            const document = await this.session.gateway.get(`shots?${query}`);
            this.#show(document);
        } catch (problem) {
            setText(this.#status, problem.message);
        }
        this.#more.disabled = false;
    }

    #show(document) {
        const items = document.shots ?? document.takes ?? [];
        const rows = items.map((item) => this.#add(item));
        this.#count += items.length;
        const hadCursor = this.#cursor !== undefined;
        this.#cursor = document.next;
        this.#more.hidden = !this.#cursor;
        // The focus goes to the first row that the press has brought.
        if (hadCursor) rows[0]?.querySelector('a')?.focus();
        const damaged = (document.damaged?.length ?? 0) + (document.moreDamaged ?? 0);
        setText(this.#status, [
            this.#count === 0 ? `No ${this.#noun} matches.` : `${counted(this.#count, this.#noun)}${this.#cursor ? ', and more' : ''}.`,
            damaged ? `${counted(damaged, 'manifest')} cannot be read: ${document.damaged?.[0] ?? ''}` : '',
        ].filter(Boolean).join(' '));
    }

    #add(item) {
        const day = dayText(item.time);
        if (day !== this.#day) {
            this.#day = day;
            const list = make('ul', { class: 'shots' });
            const all = make('button', {
                type: 'button', text: 'Select day', 'aria-label': `Select day ${day}`,
                click: () => this.#select(list.querySelectorAll('input.selects'), true),
            });
            this.#list = list;
            this.#days.append(make('section', {}, make('div', { class: 'day' }, make('h2', { text: day }), all), list));
        }
        const row = this.#row(item);
        this.#list.append(row);
        return row;
    }

    #row({ id, time, status, done, expected, title }) {
        const place = make('div', { class: 'thumbnails' });
        this.thumbnails.observe(place, id);
        const name = title || `${timeText(time)}, ${id.slice(-6)}`;
        const choice = make('input', {
            type: 'checkbox', class: 'selects', 'aria-label': `Select ${name}`, checked: this.#choices.get(id)?.checked ?? false,
            change: () => this.#export.update(),
        });
        this.#choices.set(id, choice);
        return make('li', { class: 'card' },
            make('div', { class: 'head' }, choice,
                make('h3', {}, make('a', { href: `#shot/${id}`, dir: 'auto', text: name })), badge(describeOutcome(status))),
            make('p', { class: 'figures' }, foreignText(timeText(time)), ` · ${done} of ${counted(expected, 'camera')} complete`),
            place, this.#noun === 'take' && make('p', {}, make('a', { href: `#shot/${id}?play`, text: 'Play', 'aria-label': `Play ${name}` })),
            verification(this.session, id, name));
    }
}

customElements.define('caprig-library', LibraryView);
