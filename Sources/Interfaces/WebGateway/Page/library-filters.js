// The search of the library, kept in the address of the page: one field, and a chip for each further filter.

import { field, icon, make, menu, picker } from './elements.js';
import { calendar } from './library-calendar.js';

const any = ['', 'any'];
const texts = [{ name: 'device', label: 'Camera', hint: 'node1/*' }, { name: 'label', label: 'Label' }];
const choices = [
    { name: 'status', label: 'Status', options: ['complete', 'partial', 'failed', 'open'] },
    { name: 'outcome', label: 'With a file that is', options: ['done', 'late', 'missed', 'failed', 'pending'] },
];
const dates = [{ name: 'since', label: 'From' }, { name: 'until', label: 'To' }];
const marks = { name: 'rejected', label: 'With a picture that is' };
const kinds = [['', 'All'], ['shots', 'Shots'], ['takes', 'Takes']];

/** Opens the view again with other filters. */
function go(entries) {
    const query = new URLSearchParams([...entries].filter(([, value]) => value !== '')).toString();
    location.hash = query ? `library?${query}` : 'library';
}

/** What each chip says, and the filters that it removes. */
function chipsOf(filters) {
    const [since, until] = dates.map(({ name }) => filters.get(name));
    const days = since && since === until ? [[`Day ${since}`, ['since', 'until']]]
        : dates.filter(({ name }) => filters.get(name)).map(({ name, label }) => [`${label} ${filters.get(name)}`, [name]]);
    return [...[...texts, ...choices, marks].filter(({ name }) => filters.get(name))
        .map(({ name, label }) => [`${label} ${name === 'rejected' ? 'rejected' : filters.get(name)}`, [name]]), ...days];
}

/** The form. Its submission changes the address, which opens the view again. */
export function filterForm(gateway, filters) {
    const input = (type) => ({ name, label, hint }) =>
        field(label, make('input', { type, name, value: filters.get(name) ?? '', placeholder: hint, dir: type === 'text' ? 'auto' : undefined }));
    const select = ({ name, label, options }) =>
        field(label, picker([any, ...options.map((option) => [option, option])], filters.get(name) ?? '', { name }));
    const shown = filters.get('show') ?? '';
    const sort = ([value, text]) => make('button', {
        type: 'button', text, 'aria-pressed': String(shown === value), click: () => go(new Map([...new FormData(form), ['show', value]])),
    });
    const chips = chipsOf(filters).map(([text, names]) =>
        make('button', { type: 'button', class: 'chip', 'aria-label': `Remove ${text}`, click: () => go([...filters].filter(([key]) => !names.includes(key))) },
            text, make('span', { 'aria-hidden': 'true', text: ' ✕' })));
    const form = make('form', { class: 'search', role: 'search', 'aria-label': 'Filter the library' },
        make('div', { class: 'switch', role: 'group', 'aria-label': 'Show' }, kinds.map(sort)),
        make('input', { type: 'search', name: 'text', value: filters.get('text') ?? '', dir: 'auto', placeholder: 'Title or note', 'aria-label': 'Title or note contains' }),
        ...chips,
        calendar(gateway, filters, (day) => go(new Map([...new FormData(form), ['since', day], ['until', day]]))),
        menu([icon('settings'), make('span', { text: 'Filters' })], ...texts.map(input('text')), ...choices.map(select),
            field(marks.label, picker([any, ['true', 'rejected']], filters.get('rejected') ?? '', { name: 'rejected' })), ...dates.map(input('date')),
            make('button', { type: 'submit', class: 'primary', text: 'Filter' })),
        make('input', { type: 'hidden', name: 'show', value: shown }));
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        go(new FormData(form));
    });
    return form;
}
