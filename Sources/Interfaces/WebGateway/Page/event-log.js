// The newest events of the rig, with a filter.

import { blank, field, foreignText, heading, make, picker, setText, table, update } from './elements.js';
import { counted, timeText } from './quantities.js';

const most = 500;
const sorts = [
    ['', 'all'], ['device.', 'devices'], ['session.', 'sessions'], ['node.', 'nodes'], ['spool.', 'spools'],
    ['capture.', 'captures'], ['recording.', 'recordings'], ['shot.', 'shots'], ['take.', 'takes'], ['hold.', 'holds'], ['feed.', 'feed'],
];

function detailText(details) {
    return Object.entries(details ?? {}).map(([name, value]) => `${name}=${value}`).join('  ');
}

function source(event) {
    return event.device ?? event.node ?? event.details?.node ?? 'coordinator';
}

/** Set `session` before it is connected. */
class EventLog extends HTMLElement {
    #sort = picker(sorts, '', { change: () => this.#rebuild() });
    #search = make('input', { type: 'search', dir: 'auto', input: () => this.#rebuild() });
    #paused = make('button', { type: 'button', text: 'Pause', 'aria-pressed': 'false', click: () => this.#pause() });
    #summary = make('p', { class: 'note' });
    #rows = make('tbody');
    #table = table('Events', 'log', ['Time', 'Source', 'Event', 'Shot', 'Details'], this.#rows);
    #nothing = make('div', { role: 'status' });
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.append(heading('Events'),
            make('div', { class: 'toolbar' }, field('Events of', this.#sort), field('Containing', this.#search), this.#paused, this.#summary),
            this.#nothing, this.#table);
        this.session.rig.addEventListener('event', (event) => this.#add(event.detail), { signal: this.#end.signal });
        this.#rebuild();
    }

    disconnectedCallback() { this.#end.abort(); }

    get #isPaused() { return this.#paused.getAttribute('aria-pressed') === 'true'; }

    #matches(event) {
        if (!event.name?.startsWith(this.#sort.value)) return false;
        const sought = this.#search.value.trim().toLowerCase();
        if (!sought) return true;
        return [event.name, source(event), event.shot, detailText(event.details)].join(' ').toLowerCase().includes(sought);
    }

    #pause() {
        this.#paused.setAttribute('aria-pressed', String(!this.#isPaused));
        if (!this.#isPaused) this.#rebuild();
    }

    #rebuild() {
        const matching = this.session.rig.events.filter((event) => this.#matches(event)).reverse();
        this.#rows.replaceChildren(...matching.map((event) => this.#row(event)));
        this.#count();
    }

    #add(event) {
        if (this.#isPaused || !this.#matches(event)) return;
        this.#rows.prepend(this.#row(event));
        while (this.#rows.childElementCount > most) this.#rows.lastElementChild.remove();
        this.#count();
    }

    #count() {
        const count = this.#rows.childElementCount;
        setText(this.#summary, count ? `${counted(count, 'event')} since this page was opened, at most ${most}` : '');
        this.#table.hidden = count === 0;
        update(this.#nothing, count ? [] : [this.#blank()]);
    }

    #blank() {
        const known = this.session.rig.events.length;
        if (known) return blank(`None of ${counted(known, 'event')} matches`, 'Choose all events, and clear the text that they are to contain.');
        return blank('No event since this page was opened', 'A line appears here as soon as something happens: a shot, a take or a change of settings, a camera that starts or '
            + 'fails, a node that connects or leaves, somebody who holds the rig.');
    }

    #row(event) {
        const shot = event.shot ? make('a', { href: `#shot/${event.shot}`, text: event.shot.slice(-6), 'aria-label': `Shot ${event.shot}` }) : '';
        return make('tr', {}, make('td', { text: timeText(event.realtime) }), make('td', {}, foreignText(source(event))),
            make('td', { text: event.name }), make('td', {}, shot), make('td', {}, foreignText(detailText(event.details))));
    }
}

customElements.define('caprig-events', EventLog);
