// Shots and takes of the library as one list, the newest first, page by page.

import { localDay, moment } from './quantities.js';

/** A day after this one, `2026-11-22` for `2026-11-21`. */
function nextDay(day) {
    const date = new Date(`${day}T00:00:00Z`);
    date.setUTCDate(date.getUTCDate() + 1);
    return date.toISOString().slice(0, 10);
}

/** The beginning of a day in the time zone of the browser, as the API takes it. */
function instant(day) {
    const date = new Date(`${day}T00:00:00`);
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The parameters of `GET /shots` for filters of the address, of `shots` or `takes`; days become instants. */
function queryOf(filters, kind) {
    const query = new URLSearchParams();
    for (const name of ['text', 'device', 'label', 'status', 'outcome']) if (filters.get(name)) query.set(name, filters.get(name));
    const since = filters.get('since') && instant(filters.get('since'));
    const until = filters.get('until') && instant(nextDay(filters.get('until')));
    if (since) query.set('since', since);
    if (until) query.set('until', until);
    if (filters.get('rejected') === 'true') query.set('rejected', 'true');
    if (kind === 'takes') query.set('takes', 'true');
    return query;
}

/** The entries that a list is asked for at once: usually, and at most. */
const usual = 30;
const most = 1000;

/** What the filters of an address choose. */
export class LibraryListing {
    /** How many manifests cannot be read, and the path of one with the reason. */
    damaged = { count: 0 };
    #gateway;
    #sources;

    constructor(gateway, filters) {
        this.#gateway = gateway;
        this.#sources = kindsOf(filters).map((kind) => ({ kind, query: queryOf(filters, kind), waiting: [], isOver: false }));
    }

    /** Whether `next` returns nothing more. */
    get isOver() { return this.#sources.every(({ waiting, isOver }) => isOver && waiting.length === 0); }

    /** The next entries, each with `isTake`, about `count`. After a failure, a further call continues. */
    async next(count = usual) {
        const open = () => this.#sources.filter(({ isOver }) => !isOver);
        await Promise.all(open().filter(({ waiting }) => waiting.length === 0).map((source) => this.#fill(source, Math.min(Math.max(count, usual), most))));
        // Ids are in the order of time. What is older than the last one of a list waits for the next page of that list.
        const floor = open().map(({ waiting }) => waiting.at(-1).id).sort().at(-1) ?? '';
        const entries = this.#sources.flatMap(({ waiting }) => waiting).filter(({ id }) => id >= floor);
        for (const source of this.#sources) source.waiting = source.waiting.filter(({ id }) => id < floor);
        return entries.sort((a, b) => (a.id < b.id ? 1 : -1));
    }

    async #fill(source, limit) {
        const { shots, takes, next, damaged = [], moreDamaged = 0 } = await this.#gateway.get(`shots?${source.query}&limit=${limit}`);
        source.waiting = (shots ?? takes).map((entry) => ({ ...entry, isTake: !shots }));
        source.isOver = !next;
        source.query.set('cursor', next ?? '');
        // Each list names them, and each page.
        if (damaged.length) this.damaged = { count: damaged.length + moreDamaged, example: damaged[0] };
    }
}

/** Which lists the filters of an address choose. */
function kindsOf(filters) {
    return filters.get('show') ? [filters.get('show')] : ['shots', 'takes'];
}

/** The days of a month that have an entry, as `2026-11-21` in the time zone of the browser. `begin`, `end`: its first day, and that of the next. */
export async function daysWithEntries(gateway, filters, begin, end) {
    const days = new Set();
    for (const kind of kindsOf(filters)) {
        const query = queryOf(filters, kind);
        query.set('limit', '200');
        query.set('since', begin.toISOString());
        // A page that does not reach the end of a day is followed by the day before it.
        for (let until = end; until; ) {
            query.set('until', until.toISOString());
            const { shots, takes, next } = await gateway.get(`shots?${query}`);
            const found = (shots ?? takes).map(({ time }) => localDay(moment(time)));
            for (const day of found) days.add(day);
            until = next && new Date(`${found.at(-1)}T00:00:00`);
        }
    }
    return days;
}
