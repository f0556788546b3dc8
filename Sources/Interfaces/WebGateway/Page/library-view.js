// The view Library: shots and takes by day, newest first, page by page.

import { heading, make, setText } from './elements.js';
import { ExportForm } from './export-form.js';
import { LibraryCard } from './library-card.js';
import { filterForm } from './library-filters.js';
import { LibraryListing } from './library-listing.js';
import { Thumbnails } from './library-thumbnails.js';
import { counted, countedShots, dayText } from './quantities.js';
import { RowSelection } from './row-selection.js';

/** Set `session` and `filters` before it is connected. */
class LibraryView extends HTMLElement {
    #days = make('div', { class: 'days', tabindex: '-1' });
    #status = make('p', { role: 'status', dir: 'auto' });
    #more = make('button', { hidden: true, click: () => this.#load(true) });
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
        this.#reload();
    }

    disconnectedCallback() {
        this.#end.abort();
        this.#sight.disconnect();
        this.thumbnails.end();
    }

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

    #reload() {
        this.#days.replaceChildren();
        this.#selection.clear();
        this.#news.replaceChildren();
        this.#listing = new LibraryListing(this.session.gateway, this.filters);
        this.#takes.clear();
        [this.#count, this.#day, this.#list] = [0, undefined, undefined];
        this.#load();
    }

    /** The next page, when its place comes into view or is asked for: then the focus goes to its first row. */
    async #load(movesFocus = false) {
        if (this.#isLoading) return;
        this.#isLoading = true;
        this.#sight.disconnect();
        setText(this.#more, 'Asking the rig …');
        if (this.#count === 0) setText(this.#status, 'Asking the rig …');
        const listing = this.#listing;
        try {
            const [row] = (await listing.next()).map((entry) => this.#add(entry));
            if (movesFocus) row?.querySelector('h3 a').focus();
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
        setText(this.#status, [
            this.#count === 0 ? this.#nothingText : `${countedShots(this.#count, this.#takes.size)}${isOver ? '' : ', and more'}.`,
            damaged.count ? `${counted(damaged.count, 'manifest')} cannot be read: ${damaged.example}` : '',
        ].filter(Boolean).join(' '));
    }

    get #nothingText() {
        if ([...this.filters.keys()].some((name) => name !== 'show')) return 'Nothing matches.';
        return 'Nothing yet: Trigger and Record in the view Live make shots and takes.';
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
