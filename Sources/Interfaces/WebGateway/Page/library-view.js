// The view Library: shots and takes by day, newest first, page by page.

import { blank, heading, make, setText } from './elements.js';
import { ExportForm } from './export-form.js';
import { LibraryCard } from './library-card.js';
import { filterForm } from './library-filters.js';
import { LibraryListing } from './library-listing.js';
import { Thumbnails } from './library-thumbnails.js';
import { counted, countedShots, dayText } from './quantities.js';
import { RowSelection } from './row-selection.js';

/** Set `session` and `filters` before it is connected. */
class LibraryView extends HTMLElement {
    /**
     * How a person left the list: the filters, what was selected, and a row and how far below the upper edge it was. Without a row, the list is
     * shown from its top, with what has come since.
     */
    static #left;
    #days = make('div', { class: 'days', tabindex: '-1' });
    #status = make('p', { role: 'status', dir: 'auto' });
    #more = make('button', { hidden: true, click: () => this.#load({ movesFocus: true }) });
    #news = make('div', { class: 'news', role: 'status' });
    #heading = heading('Library');
    #isLoading = false;
    #count = 0;
    #listing;
    #day;
    #list;
    /** The ids of takes among the rows. */
    #takes = new Set();
    #selection = new RowSelection(this.#days, () => this.#offerExport());
    #export;
    #sight;
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.#export = new ExportForm(this.session, {
            isTake: (id) => this.#takes.has(id), selected: () => this.#selection.ids,
            actions: [make('button', { text: 'Clear selection', click: () => {
                this.#selection.select(() => false);
                this.#heading.focus();
            } })],
        });
        const root = this.closest('main');
        this.#sight = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && this.#load(), { root, rootMargin: '600px' });
        this.thumbnails = new Thumbnails(this.session.gateway, root);
        this.append(make('div', { class: 'finder' }, this.#heading, filterForm(this.session.gateway, this.filters), this.#status), this.#news,
            // It is below the rows, and before them for the keyboard, which would have to pass all of them.
            this.#export.element, this.#days, this.#more);
        this.session.rig.addEventListener('event', (event) => this.#hear(event.detail), { signal: this.#end.signal });
        const left = LibraryView.#left;
        this.#reload(left?.filters === String(this.filters) ? left : undefined);
    }

    /** Is called before the view of that name takes the place of this one. */
    leave(next) {
        const main = this.closest('main');
        const edge = main.getBoundingClientRect().top;
        const isAtTop = next !== 'shot' && main.scrollTop === 0;
        const focused = document.activeElement.closest('[data-id]');
        const row = focused ?? this.#rows.find((each) => each.getBoundingClientRect().bottom > edge);
        LibraryView.#left = row && {
            filters: String(this.filters), selected: new Set(this.#selection.ids), count: this.#count,
            place: isAtTop ? undefined : { id: row.dataset.id, offset: row.getBoundingClientRect().top - edge, isFocused: Boolean(focused) },
        };
    }

    disconnectedCallback() {
        this.#end.abort();
        this.#sight.disconnect();
        this.thumbnails.end();
    }

    get #rows() { return [...this.#days.querySelectorAll('[data-id]')]; }

    /** What can be done with the selected ones is there while some are. */
    #offerExport() {
        this.#export.update();
        this.#export.element.hidden = this.#selection.ids.length === 0;
    }

    #hear({ name, shot }) {
        const [kind, what] = name.split('.');
        if (what === 'deleted') this.#selection.remove(shot);
        // Above the list, where it moves nothing.
        if (what === 'settled' && (this.filters.get('show') || kind).startsWith(kind) && !this.#selection.has(shot) && !this.#news.firstChild) {
            this.#news.append(make('button', { class: 'primary', text: 'Show newer ones', click: () => this.#reload() }));
        }
    }

    #reload(left) {
        this.#days.replaceChildren();
        this.#selection.clear();
        this.#news.replaceChildren();
        this.#listing = new LibraryListing(this.session.gateway, this.filters);
        this.#takes.clear();
        [this.#count, this.#day, this.#list] = [0, undefined, undefined];
        this.#load({ left });
    }

    /** Shows the list as it was left, whatever has come since. A row that was deleted is followed by the next one. */
    #restore({ place, selected }) {
        this.#selection.select((each) => selected.has(each));
        if (!place) return;
        const { id, offset, isFocused } = place;
        const row = this.#rows.find(({ dataset }) => dataset.id <= id) ?? this.#rows.at(-1);
        const main = this.closest('main');
        main.scrollBy(0, row.getBoundingClientRect().top - main.getBoundingClientRect().top - offset);
        if (isFocused && document.activeElement === this.#heading) row.querySelector('h3 a').focus({ preventScroll: true });
    }

    /**
     * The next page, when its place comes into view or is asked for: then the focus goes to its first row. With `left`, all pages to where the
     * list was left.
     */
    async #load({ movesFocus = false, left } = {}) {
        if (this.#isLoading) return;
        this.#isLoading = true;
        this.#sight.disconnect();
        setText(this.#more, 'Asking the rig …');
        if (this.#count === 0) setText(this.#status, 'Asking the rig …');
        const listing = this.#listing;
        try {
            const rows = [];
            do {
                const entries = await listing.next(left?.count);
                if (listing === this.#listing && this.isConnected) rows.push(...entries.map((entry) => this.#add(entry)));
            } while (left?.place && !listing.isOver && rows.at(-1)?.dataset.id > left.place.id);
            if (movesFocus) rows[0]?.querySelector('h3 a').focus();
            if (left && rows.length) this.#restore(left);
            this.#tell();
            if (!listing.isOver && this.isConnected) this.#sight.observe(this.#more);
        } catch (problem) {
            setText(this.#status, problem.message);
        }
        this.#more.hidden = listing.isOver;
        setText(this.#more, 'Show more');
        this.#isLoading = false;
        if (listing !== this.#listing) this.#load();
    }

    #tell() {
        const { damaged, isOver } = this.#listing;
        const isEmpty = this.#count === 0;
        if (isEmpty) this.#days.replaceChildren(this.#blank());
        this.#status.classList.toggle('spoken', isEmpty && !damaged.count);
        setText(this.#status, [
            isEmpty ? 'Nothing to show.' : `${countedShots(this.#count, this.#takes.size)}${isOver ? '' : ', and more'}.`,
            damaged.count ? `${counted(damaged.count, 'manifest')} cannot be read: ${damaged.example}` : '',
        ].filter(Boolean).join(' '));
    }

    #blank() {
        const isFiltered = [...this.filters.keys()].some((name) => name !== 'show');
        if (isFiltered) return blank('Nothing matches.', 'Clear the field, remove a filter, or look in the calendar for days that have a shot or take.');
        return blank('Nothing yet', 'Trigger and Record in the view ', make('a', { href: '#live', text: 'Live' }), ' make shots and takes. They appear here when they are stored.');
    }

    #add(entry) {
        const day = dayText(entry.time);
        if (day !== this.#day) {
            this.#day = day;
            const list = make('ul', { class: 'shots' });
            const all = make('button', {
                text: 'Select day', 'aria-label': `Select day ${day}`,
                click: () => this.#selection.select((_, row, isSelected) => isSelected || list.contains(row)),
            });
            this.#list = list;
            this.#days.append(make('section', {}, make('div', { class: 'day' }, make('h2', { text: day }), all), list));
        }
        const card = new LibraryCard(this.session, entry, this.thumbnails);
        this.#count += 1;
        if (entry.isTake) this.#takes.add(entry.id);
        this.#selection.add(entry.id, card.element, card.choice);
        this.#list.append(card.element);
        return card.element;
    }
}

customElements.define('caprig-library', LibraryView);
