// Charts of the last hour: what the gateway has kept, so that a page has them at once.

import { blank, field, foreignText, make, makeDrawing, setText, update } from './elements.js';
import { byteText, counted, durationText, moment, number } from './quantities.js';
import { spreadChart } from './spread-chart.js';

/** Values of a whole hour, and how high a chart is in its own units. */
const most = 360;
const height = 40;
/** The shortest time that a chart spans, and the longest whose axis has seconds; milliseconds. */
const shortest = 60000;
const brief = 300000;
/** Milliseconds. */
const period = 20000;
/** More cameras are folded by node, of which one is open; of one node, or of what is sought, so many are drawn. */
const few = 8;
const drawn = 24;
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const exactTimes = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const seconds = (value) => durationText(BigInt(Math.round(value * 1e9)));
const rate = (value) => `${value.toFixed(1)}/s`;

/** Charts of the rig, and of a node: titles, series, and how a value is said. */
const rigCharts = ({ meanSkewSeconds, openShots }) => [
    { title: 'Mean skew of pictures', values: meanSkewSeconds, text: seconds, none: 'no shot', note: 'Each point: the mean over all pictures of the shots that were settled in 10 s.' },
    { title: 'Open shots', values: openShots, text: String, note: 'Shots of which a file is still being collected.' },
];
const nodeCharts = ({ node, clockBoundSeconds, spoolUsedBytes }) => [
    { title: `${node}: clock bound`, values: clockBoundSeconds, text: seconds },
    { title: `${node}: spool used`, values: spoolUsedBytes, text: byteText },
];

/** A camera's chart, with what makes it worse than others. */
function cameraChart({ device, framesPerSecond, lostFrames }) {
    const known = framesPerSecond.filter((value) => value !== null);
    const lost = lostFrames.reduce((sum, count) => sum + (count ?? 0), 0);
    const isSilent = (framesPerSecond.at(-1) ?? null) === null;
    const dip = known.length ? 1 - Math.min(...known) / (Math.max(...known) || 1) : 0;
    return { device, title: `${device}: frames`, values: framesPerSecond, text: rate, lost: lostFrames, isSilent, dip, lostCount: lost };
}

const byName = (a, b) => a.localeCompare(b, undefined, { numeric: true });
/** Cameras without a figure come first, then those with most lost frames, then those whose rate was least steady. */
const worstFirst = (a, b) => b.isSilent - a.isSilent || b.lostCount - a.lostCount || b.dip - a.dip || byName(a.device, b.device);

/** What is said of the worst camera. */
function worstText({ device, isSilent, lostCount, values }) {
    const name = device.split('/').slice(1).join('/');
    return [`worst ${name}`, isSilent ? 'unknown' : rate(values.at(-1)), `${lostCount} lost`].join(', ');
}

/** When values were read, one each `step` milliseconds until `newest`: of all charts, as long as there are values, at most an hour. */
function timeAxis(count, newest, step) {
    /** The place of the newest value; that of the first one is 0. */
    const end = Math.min(most - 1, Math.max(count - 1, Math.ceil(shortest / step)));
    const format = end * step > brief ? times : exactTimes;
    const textAt = (place) => format.format(newest - (end - place) * step);
    return { end, textAt, labels: [0, end / 2, end].map(textAt) };
}

/** A line with gaps where nothing is known; a value alone is a short one. */
function line(values, top, end) {
    const begin = end + 1 - values.length;
    const isKnown = (index) => (values[index] ?? null) !== null;
    return values.map((value, index) => {
        if (value === null) return '';
        const place = `${begin + index} ${(height - 2 - (value / top) * (height - 6)).toFixed(1)}`;
        return isKnown(index - 1) ? `L${place}` : `M${place}${isKnown(index + 1) ? '' : `h-${end / 120}`}`;
    }).join('');
}

/** One chart, with what it shows in words. `none` says why there is no value, `note` what the values are. */
function chart({ title, values, text, lost = [], none = 'unknown', note }, { end, textAt, labels }) {
    const known = values.filter((value) => value !== null);
    const [least, largest] = [Math.min(...known), Math.max(...known)];
    const newest = values.at(-1) ?? null;
    const gone = lost.reduce((sum, count) => sum + (count ?? 0), 0);
    const told = newest === null ? none : text(newest);
    const words = [known.length ? [...new Set([least, largest].map(text))].join(' to ') : `${none} in this hour`, lost.length && `${gone} lost`].filter(Boolean).join(', ');
    const value = make('strong', { text: told });
    const svg = makeDrawing('svg', { viewBox: `0 0 ${end} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title} in the last hour: now ${told}, ${words}` },
        makeDrawing('path', { class: 'line', d: line(values, largest || 1, end) }),
        makeDrawing('path', { class: 'lost', d: lost.map((count, index) => (count ? `M${end + 1 - lost.length + index} ${height}v-14` : '')).join('') }));
    svg.addEventListener('pointermove', ({ offsetX }) => {
        const place = Math.round((offsetX / svg.clientWidth) * end);
        const read = values[place - end - 1 + values.length] ?? null;
        setText(value, read === null ? told : `${textAt(place)}: ${text(read)}`);
    });
    svg.addEventListener('pointerleave', () => setText(value, told));
    return make('figure', { class: 'card' }, make('figcaption', { class: 'head' }, make('span', { dir: 'auto', text: title }), value), svg,
        make('p', { class: 'axis figures' }, labels.map((text) => make('span', { text }))),
        make('p', { class: 'figures', text: words }), note && make('p', { class: 'note', text: note }));
}

/** The charts of a node, folded: first those of the node, then of its worst cameras. They are drawn while it is open. */
class NodeCharts {
    element = make('details', { class: 'fold', toggle: () => this.#draw() });
    #name;
    #about = make('span', { class: 'note' });
    #charts = make('div', { class: 'charts' });
    #more = make('p', { class: 'note' });
    /** Cameras in their order at the time of opening, so that none moves while somebody looks. */
    #order = new Map();
    #draws = () => [];

    constructor(name) {
        this.#name = name;
        this.element.append(make('summary', {}, foreignText(`${name} `), this.#about), this.#more, this.#charts);
    }

    /** `node` is absent for a node that has only cameras. */
    update(node, cameras, draw) {
        const [worst] = cameras;
        setText(this.#about, [counted(cameras.length, 'camera'), worst && worstText(worst)].filter(Boolean).join(' · '));
        this.#draws = () => {
            for (const { device } of cameras) if (!this.#order.has(device)) this.#order.set(device, this.#order.size);
            const shown = [...cameras].sort((a, b) => this.#order.get(a.device) - this.#order.get(b.device)).slice(0, drawn);
            setText(this.#more, cameras.length > drawn ? `The ${drawn} worst cameras. Find another one by its name.` : '');
            return [...(node ? nodeCharts(node) : []), ...shown].map(draw);
        };
        this.#draw();
    }

    #draw() {
        if (!this.element.open) this.#order.clear();
        this.#charts.replaceChildren(...(this.element.open ? this.#draws() : []));
    }
}

/** Set `session` before it is connected. */
class HistoryCharts extends HTMLElement {
    #shots = make('div', { class: 'charts spreads' });
    #rig = make('div', { class: 'charts' });
    #answer = make('p', { class: 'note', role: 'status', dir: 'auto' });
    #sought = make('input', { type: 'search', dir: 'auto', placeholder: 'Name, purpose or label', input: () => this.#seek() });
    #finder = make('div', { class: 'toolbar', hidden: true }, field('Find a camera', this.#sought));
    #told = make('div', { role: 'status' });
    #found = make('div', { class: 'charts' });
    #groups = make('div');
    /** By the name of the node. */
    #nodes = new Map();
    #cameras = [];
    #draw;
    #timer;

    connectedCallback() {
        this.append(make('h2', { text: 'The last hour' }), this.#answer, this.#shots, this.#rig, this.#finder, this.#told, this.#found, this.#groups);
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
        const open = this.session.rig.may('read') ? (shot) => { location.hash = `#shot/${shot}`; } : undefined;
        if (history.shots?.length) this.#shots.replaceChildren(spreadChart(history.shots, open));
        setText(this.#answer, history.time ? '' : 'The first figures come within ten seconds.');
        if (!history.time) return;
        const axis = timeAxis(history.openShots.length, moment(history.time).getTime(), number(history.intervalNanoseconds) / 1e6);
        this.#draw = (each) => chart(each, axis);
        this.#cameras = history.cameras.map(cameraChart).sort(worstFirst);
        this.#rig.replaceChildren(...rigCharts(history).map(this.#draw));
        this.#finder.hidden = this.#cameras.length <= few;
        this.#group(history.nodes);
        this.#seek();
    }

    /** Brings each node up to date. Those that appear come in the order of their worst cameras, and stay where they are. */
    #group(nodes) {
        const byNode = Map.groupBy(this.#cameras, ({ device }) => device.split('/')[0]);
        const isMany = this.#cameras.length > few;
        const names = [...new Set([...byNode.keys(), ...nodes.map(({ node }) => node).sort(byName)])];
        for (const [name, { element }] of this.#nodes) {
            if (names.includes(name)) continue;
            element.remove();
            this.#nodes.delete(name);
        }
        for (const name of names.filter((each) => !this.#nodes.has(each))) {
            const added = new NodeCharts(name);
            added.element.open = !isMany || this.#nodes.size === 0;
            this.#nodes.set(name, added);
            this.#groups.append(added.element);
        }
        for (const [name, each] of this.#nodes) {
            // Of those with one name, the browser keeps one open.
            each.element.name = isMany ? 'charts' : '';
            each.update(nodes.find(({ node }) => node === name), byNode.get(name) ?? [], this.#draw);
        }
    }

    /** Shows the cameras that are sought, instead of the nodes. */
    #seek() {
        const sought = this.#sought.value.trim().toLowerCase();
        const words = (id) => {
            const { purpose, labels = [] } = this.session.rig.camera(id)?.device ?? {};
            return [id, purpose, ...labels].join(' ').toLowerCase();
        };
        const found = sought ? this.#cameras.filter(({ device }) => words(device).includes(sought)) : [];
        this.#groups.hidden = sought !== '';
        this.#found.replaceChildren(...found.slice(0, drawn).map(this.#draw));
        const count = counted(found.length, 'camera');
        update(this.#told, !sought ? [] : [found.length === 0 ? blank('No camera matches', 'Type a part of its name, its purpose or a label. Cameras that did not run in this hour have no chart.')
            : make('p', { class: 'note', text: found.length > drawn ? `The ${drawn} worst of ${count}.` : `${count}, the worst first.` })]);
    }
}

customElements.define('caprig-history', HistoryCharts);
