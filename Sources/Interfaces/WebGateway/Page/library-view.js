// The view Library: shots or takes by day, newest first, page by page.

import { badge, describeOutcome } from './conditions.js';
import { heading, make, setText } from './elements.js';
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
    #more = make('button', { type: 'button', text: 'Show more', hidden: true, click: () => this.#load(true) });
    #news = make('button', { type: 'button', text: 'There are newer shots: show them', hidden: true, click: () => this.#reload() });
    #heading;
    #isLoading = false;
    #count = 0;
    #cursor;
    #day;
    #list;
    /** The checkboxes of the rows, by id. */
    #choices = new Map();
    #export;
    /** The choice of the last press, where a press with Shift begins. */
    #pressed;
    #sight = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && this.#load(), { rootMargin: '600px' });
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.#export = new ExportForm(this.session, {
            isOfTakes: this.#noun === 'take', label: 'Export', selected: () => this.#selected,
            actions: [make('button', { type: 'button', text: 'Clear selection', click: () => {
                this.#select([...this.#choices.values()], false);
                this.#heading.focus();
            } })],
        });
        this.thumbnails = new Thumbnails(this.session.gateway);
        this.#heading = heading(this.#noun === 'take' ? 'Library: takes' : 'Library');
        this.append(make('div', { class: 'finder' }, this.#heading, filterForm(this.filters), this.#status), this.#news, this.#days, this.#more,
            this.#export.element);
        this.#offerExport();
        this.session.rig.addEventListener('event', (event) => this.#hear(event.detail), { signal: this.#end.signal });
        this.#load();
    }

    disconnectedCallback() {
        this.#end.abort();
        this.#sight.disconnect();
        this.thumbnails.end();
    }

    get #noun() { return this.filters.get('takes') === 'true' ? 'take' : 'shot'; }

    get #selected() { return [...this.#choices].filter(([, { checked }]) => checked).map(([id]) => id); }

    #select(choices, isSelected) {
        for (const choice of choices) choice.checked = isSelected;
        this.#offerExport();
    }

    /** What can be done with the selected ones is there while some are. */
    #offerExport() {
        this.#export.update();
        this.#export.element.hidden = this.#selected.length === 0;
    }

    /** Selects one, or with Shift all from the last one on. */
    #press(choice, isRange) {
        const all = [...this.#choices.values()];
        const ends = [this.#pressed, choice].map((each) => all.indexOf(each)).sort((a, b) => a - b);
        this.#pressed = choice;
        this.#select(isRange && ends[0] >= 0 ? all.slice(ends[0], ends[1] + 1) : [choice], choice.checked);
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
        this.#offerExport();
        Object.assign(this.#news, { hidden: true });
        [this.#count, this.#cursor, this.#day, this.#list] = [0, undefined, undefined, undefined];
        this.#load();
    }

    /** The next page, when its place comes into view or is asked for: then the focus goes to its first row. */
    async #load(movesFocus = false) {
        if (this.#isLoading) return;
        this.#isLoading = true;
        const query = queryOf(this.filters);
        query.set('limit', String(pageSize));
        if (this.#cursor) query.set('cursor', this.#cursor);
        this.#sight.disconnect();
        setText(this.#status, 'Asking the rig …');
        try {
            const [row] = this.#show(await this.session.gateway.get(`shots?${query}`));
            if (movesFocus) row?.querySelector('h3 a').focus();
            if (this.#cursor && this.isConnected) this.#sight.observe(this.#more);
        } catch (problem) {
            setText(this.#status, problem.message);
        }
        this.#isLoading = false;
    }

    #show(document) {
        const items = document.shots ?? document.takes ?? [];
        const rows = items.map((item) => this.#add(item));
        this.#count += items.length;
        this.#cursor = document.next;
        this.#more.hidden = !this.#cursor;
        const damaged = (document.damaged?.length ?? 0) + (document.moreDamaged ?? 0);
        setText(this.#status, [
            this.#count === 0 ? this.#nothingText : `${counted(this.#count, this.#noun)}${this.#cursor ? ', and more' : ''}.`,
            damaged ? `${counted(damaged, 'manifest')} cannot be read: ${document.damaged?.[0] ?? ''}` : '',
        ].filter(Boolean).join(' '));
        return rows;
    }

    get #nothingText() {
        if ([...this.filters.keys()].some((name) => name !== 'takes')) return `No ${this.#noun} matches.`;
        return this.#noun === 'take' ? 'No take yet: Record in the view Live makes one.' : 'No shot yet: Trigger in the view Live makes one.';
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
            click: (event) => this.#press(choice, event.shiftKey),
        });
        this.#choices.set(id, choice);
        return make('li', { class: 'card' },
            make('a', { class: 'cover', href: `#shot/${id}`, tabindex: '-1', 'aria-hidden': 'true' }, place), choice,
            make('div', { class: 'head' }, make('h3', {}, make('a', { href: `#shot/${id}`, dir: 'auto', text: name })), badge(describeOutcome(status))),
            make('div', { class: 'foot' }, make('p', { class: 'figures', text: `${title ? `${timeText(time)} · ` : ''}${done} of ${counted(expected, 'camera')}` }),
                this.#noun === 'take' && make('a', { href: `#shot/${id}?play`, text: 'Play', 'aria-label': `Play ${name}` }),
                verification(this.session, id, name)));
    }
}

customElements.define('caprig-library', LibraryView);
