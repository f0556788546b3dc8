// Charts of the last hour: what the gateway has kept, so that a page has them at once.

import { make, makeDrawing, setText } from './elements.js';
import { byteText, durationText, moment, number } from './quantities.js';

/** Values of a whole hour, and how high a chart is in its own units. */
const most = 360;
const height = 40;
/** Milliseconds. */
const period = 20000;
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

const seconds = (value) => durationText(BigInt(Math.round(value * 1e9)));
const rate = (value) => `${value.toFixed(1)}/s`;

/** What a document has: titles, series, and how a value is said. */
function chartsOf({ meanSkewSeconds, openShots, nodes, cameras }) {
    return [
        { title: 'Mean skew of pictures', values: meanSkewSeconds, text: seconds },
        { title: 'Shots being collected', values: openShots, text: String },
        ...nodes.flatMap(({ node, clockBoundSeconds, spoolUsedBytes }) => [
            { title: `${node}: clock bound`, values: clockBoundSeconds, text: seconds },
            { title: `${node}: spool used`, values: spoolUsedBytes, text: byteText },
        ]),
        ...cameras.map(({ device, framesPerSecond, lostFrames }) => ({ title: `${device}: frames`, values: framesPerSecond, text: rate, lost: lostFrames })),
    ];
}

/** A line with gaps where nothing is known; a value alone is a short one. */
function line(values, top) {
    const begin = most - values.length;
    const isKnown = (index) => (values[index] ?? null) !== null;
    return values.map((value, index) => {
        if (value === null) return '';
        const place = `${begin + index} ${(height - 2 - (value / top) * (height - 6)).toFixed(1)}`;
        return isKnown(index - 1) ? `L${place}` : `M${place}${isKnown(index + 1) ? '' : 'h-3'}`;
    }).join('');
}

/** One chart, with what it shows in words. `timeOf` says when the value at an index was read. */
function chart({ title, values, text, lost = [] }, timeOf) {
    const known = values.filter((value) => value !== null);
    const [least, largest] = [Math.min(...known), Math.max(...known)];
    const newest = values.at(-1) ?? null;
    const gone = lost.reduce((sum, count) => sum + (count ?? 0), 0);
    const told = newest === null ? 'unknown' : text(newest);
    const words = [known.length ? [...new Set([least, largest].map(text))].join(' to ') : 'unknown in this hour', lost.length && `${gone} lost`].filter(Boolean).join(', ');
    const value = make('strong', { text: told });
    const svg = makeDrawing('svg', { viewBox: `0 0 ${most} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title} in the last hour: now ${told}, ${words}` },
        makeDrawing('path', { class: 'line', d: line(values, largest || 1) }),
        makeDrawing('path', { class: 'lost', d: lost.map((count, index) => (count ? `M${most - lost.length + index} ${height}v-14` : '')).join('') }));
    svg.addEventListener('pointermove', ({ offsetX }) => {
        const index = Math.round((offsetX / svg.clientWidth) * most) - most + values.length;
        const read = values[index] ?? null;
        setText(value, read === null ? told : `${times.format(timeOf(index))}: ${text(read)}`);
    });
    svg.addEventListener('pointerleave', () => setText(value, told));
    return make('figure', { class: 'card' }, make('figcaption', { class: 'head' }, make('span', { dir: 'auto', text: title }), value), svg,
        make('p', { class: 'axis figures' }, [-1, -0.5, 0].map((hours) => make('span', { text: times.format(timeOf(values.length - 1 + hours * most)) }))),
        make('p', { class: 'figures', text: words }));
}

/** Set `session` before it is connected. */
class HistoryCharts extends HTMLElement {
    #charts = make('div', { class: 'charts' });
    #answer = make('p', { class: 'note', role: 'status', dir: 'auto' });
    #timer;

    connectedCallback() {
        this.append(make('h2', { text: 'The last hour' }), this.#answer, this.#charts);
        this.#timer = setInterval(() => document.visibilityState === 'visible' && this.#ask(), period);
        this.#ask();
    }

    disconnectedCallback() { clearInterval(this.#timer); }

    async #ask() {
        try {
            this.#show(await this.session.gateway.get('history'));
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }

    #show(history) {
        setText(this.#answer, history.time ? '' : 'The first figures come within ten seconds.');
        if (!history.time) return;
        const [newest, step] = [moment(history.time).getTime(), number(history.intervalNanoseconds) / 1e6];
        const timeOf = (index) => newest - (history.openShots.length - 1 - index) * step;
        this.#charts.replaceChildren(...chartsOf(history).map((each) => chart(each, timeOf)));
    }
}

customElements.define('caprig-history', HistoryCharts);
