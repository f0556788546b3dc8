// The search of the library, kept in the address of the page: one field, and a chip for each further filter.

import { field, icon, make, menu, picker } from './elements.js';

const any = ['', 'any'];
const texts = [{ name: 'device', label: 'Camera', hint: 'node1/*' }, { name: 'label', label: 'Label' }];
const choices = [
    { name: 'status', label: 'Status', options: ['complete', 'partial', 'failed', 'open'] },
    { name: 'outcome', label: 'With a file that is', options: ['done', 'late', 'missed', 'failed', 'pending'] },
];
const dates = [{ name: 'since', label: 'From' }, { name: 'until', label: 'To' }];
const marks = { name: 'rejected', label: 'With a picture that is' };
const further = [...texts, ...choices, marks, ...dates];

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

/** The parameters of `GET /shots` for filters of the address; days become instants. */
export function queryOf(filters) {
    const query = new URLSearchParams();
    for (const name of ['text', ...[...texts, ...choices].map((filter) => filter.name)]) if (filters.get(name)) query.set(name, filters.get(name));
    const since = filters.get('since') && instant(filters.get('since'));
    const until = filters.get('until') && instant(nextDay(filters.get('until')));
    if (since) query.set('since', since);
    if (until) query.set('until', until);
    for (const name of ['takes', 'rejected']) if (filters.get(name) === 'true') query.set(name, 'true');
    return query;
}

/** Opens the view again with other filters. */
function go(entries) {
    const query = new URLSearchParams([...entries].filter(([, value]) => value !== '')).toString();
    location.hash = query ? `library?${query}` : 'library';
}

/** The form. Its submission changes the address, which opens the view again. */
export function filterForm(filters) {
    const input = (type) => ({ name, label, hint }) =>
        field(label, make('input', { type, name, value: filters.get(name) ?? '', placeholder: hint, dir: type === 'text' ? 'auto' : undefined }));
    const select = ({ name, label, options }) =>
        field(label, picker([any, ...options.map((option) => [option, option])], filters.get(name) ?? '', { name }));
    const isOfTakes = filters.get('takes') === 'true';
    const sort = (text, value) => make('button', {
        type: 'button', text, 'aria-pressed': String(isOfTakes === (value !== '')),
        click: () => go(new Map([...new FormData(form), ['takes', value]])),
    });
    const chips = further.filter(({ name }) => filters.get(name)).map(({ name, label }) => {
        const value = name === 'rejected' ? 'rejected' : filters.get(name);
        return make('button', { type: 'button', class: 'chip', 'aria-label': `Remove ${label} ${value}`, click: () => go([...filters].filter(([key]) => key !== name)) },
            `${label} ${value}`, make('span', { 'aria-hidden': 'true', text: ' ✕' }));
    });
    const form = make('form', { class: 'search', role: 'search', 'aria-label': 'Filter the library' },
        make('div', { class: 'switch', role: 'group', 'aria-label': 'Show' }, sort('Shots', ''), sort('Takes', 'true')),
        make('input', { type: 'search', name: 'text', value: filters.get('text') ?? '', dir: 'auto', placeholder: 'Title or note', 'aria-label': 'Title or note contains' }),
        ...chips,
        menu([icon('settings'), make('span', { text: 'Filters' })], ...texts.map(input('text')), ...choices.map(select),
            field(marks.label, picker([any, ['true', 'rejected']], filters.get('rejected') ?? '', { name: 'rejected' })), ...dates.map(input('date')),
            make('button', { type: 'submit', class: 'primary', text: 'Filter' })),
        isOfTakes && make('input', { type: 'hidden', name: 'takes', value: 'true' }),
        [...filters].length > 0 && make('a', { href: '#library', text: 'Remove filters' }));
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        go(new FormData(form));
    });
    return form;
}
