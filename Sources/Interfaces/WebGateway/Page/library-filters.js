// The filters of the library, kept in the address of the page.

import { field, make, picker } from './elements.js';

const any = ['', 'any'];
const texts = [
    { name: 'text', label: 'Title or note contains' },
    { name: 'device', label: 'Camera', hint: 'node1/*' },
    { name: 'label', label: 'Label' },
];
const choices = [
    { name: 'status', label: 'Status', options: ['complete', 'partial', 'failed', 'open'] },
    { name: 'outcome', label: 'With a file that is', options: ['done', 'late', 'missed', 'failed', 'pending'] },
];

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
    for (const { name } of [...texts, ...choices]) if (filters.get(name)) query.set(name, filters.get(name));
    const since = filters.get('since') && instant(filters.get('since'));
    const until = filters.get('until') && instant(nextDay(filters.get('until')));
    if (since) query.set('since', since);
    if (until) query.set('until', until);
    for (const name of ['takes', 'rejected']) if (filters.get(name) === 'true') query.set(name, 'true');
    return query;
}

/** The form. Its submission changes the address, which opens the view again. */
export function filterForm(filters) {
    const input = (type) => ({ name, label, hint }) =>
        field(label, make('input', {
            type, name, value: filters.get(name) ?? '', placeholder: hint, dir: type === 'text' ? 'auto' : undefined,
        }));
    const select = ({ name, label, options }) =>
        field(label, picker([any, ...options.map((option) => [option, option])], filters.get(name) ?? '', { name }));
    const sorts = picker([['', 'shots'], ['true', 'takes']], filters.get('takes') ?? '', { name: 'takes' });
    const marks = picker([any, ['true', 'rejected']], filters.get('rejected') ?? '', { name: 'rejected' });
    const form = make('form', { class: 'toolbar', role: 'search', 'aria-label': 'Filter the library' },
        field('Show', sorts), ...texts.map(input('text')), ...choices.map(select), field('With a picture that is', marks),
        input('date')({ name: 'since', label: 'From' }), input('date')({ name: 'until', label: 'To' }),
        make('button', { type: 'submit', class: 'primary', text: 'Filter' }),
        make('a', { href: '#library', text: 'Remove filters' }));
    // Says what is listed; the others narrow it.
    sorts.addEventListener('change', () => form.requestSubmit());
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        const chosen = [...new FormData(form)].filter(([, value]) => value !== '');
        const query = new URLSearchParams(chosen).toString();
        location.hash = query ? `library?${query}` : 'library';
    });
    return form;
}
