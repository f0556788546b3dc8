// The calendar of the library: the days of a month, of which those with shots or takes can be chosen.

import { make, menu, setText } from './elements.js';
import { daysWithEntries } from './library-listing.js';
import { dayText, localDay } from './quantities.js';

const months = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' });
const weekdays = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
/** 7 is Sunday. */
const firstWeekday = new Intl.Locale(navigator.language).weekInfo?.firstDay ?? 1;

/** The first day of a date's month, or of another one `by` months later. */
const firstOf = (date, by = 0) => new Date(date.getFullYear(), date.getMonth() + by, 1);

/** A menu with a calendar. `choose` gets a day as `2026-11-21`. */
export function calendar(gateway, filters, choose) {
    const [since, until] = ['since', 'until'].map((name) => filters.get(name));
    const head = make('strong', { role: 'status' });
    const weeks = make('tbody');
    const answer = make('p', { class: 'answer', role: 'status', dir: 'auto' });
    const step = (text, label, by) => make('button', { type: 'button', text, 'aria-label': label, click: () => show(firstOf(begin, by)) });
    let begin = firstOf(new Date(since ? `${since}T00:00:00` : Date.now()));

    function cell(date, days) {
        const day = localDay(date);
        const isChosen = Boolean(since ?? until) && day >= (since ?? day) && day <= (until ?? day);
        return make('td', {}, date.getMonth() === begin.getMonth() && make('button', {
            type: 'button', text: String(date.getDate()), 'aria-label': dayText(date.toISOString()), 'aria-pressed': String(isChosen), disabled: !days.has(day),
            click: () => choose(day),
        }));
    }

    function draw(days) {
        const lead = (begin.getDay() - firstWeekday + 7) % 7;
        const dates = Array.from({ length: 42 }, (_, index) => new Date(begin.getFullYear(), begin.getMonth(), index + 1 - lead));
        weeks.replaceChildren(...[0, 7, 14, 21, 28, 35].map((week) => make('tr', {}, dates.slice(week, week + 7).map((date) => cell(date, days)))));
        return dates;
    }

    async function show(month) {
        begin = month;
        setText(head, months.format(begin));
        draw(new Set());
        setText(answer, 'Asking the rig …');
        try {
            const days = await daysWithEntries(gateway, filters, begin, firstOf(begin, 1));
            if (month !== begin) return;
            draw(days);
            setText(answer, days.size ? '' : 'Nothing in this month. Days with a shot or take can be chosen.');
        } catch (problem) {
            if (month === begin) setText(answer, problem.message);
        }
    }

    const names = draw(new Set()).slice(0, 7).map((date) => make('th', { scope: 'col', text: weekdays.format(date) }));
    const element = menu('Calendar',
        make('div', { class: 'head' }, step('‹', 'Month before', -1), head, step('›', 'Month after', 1)),
        make('table', { class: 'calendar' }, make('thead', {}, make('tr', {}, names)), weeks), answer);
    element.addEventListener('toggle', () => element.open && show(begin));
    return element;
}
