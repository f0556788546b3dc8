// A chart of the newest shots: how far apart the pictures of each were, with the error bound as a bar.

import { make, makeDrawing, setText } from './elements.js';
import { counted, durationText, instantText, number } from './quantities.js';

const height = 40;

/** The smallest value that is not below this share of all. */
const quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];

/** The cameras that were the earliest or the latest most often, with how often. */
function outermost(shots) {
    const times = new Map();
    for (const device of shots.flatMap(({ earliest, latest }) => [earliest, latest])) times.set(device, (times.get(device) ?? 0) + 1);
    return [...times].sort(([, a], [, b]) => b - a)[0];
}

/** The chart, and in words what it shows; of the shots of `GET /history`. `open` is called with the id of a shot that is clicked. */
export function spreadChart(shots, open) {
    const spreads = shots.map(({ spreadNanoseconds }) => number(spreadNanoseconds));
    const bounds = shots.map(({ boundNanoseconds }) => number(boundNanoseconds));
    const top = Math.max(1000, ...spreads.map((spread, index) => spread + bounds[index]));
    const level = (value) => (height - 1 - (Math.max(0, value) / top) * (height - 3)).toFixed(1);
    const sorted = [...spreads].sort((a, b) => a - b);
    const text = (value) => durationText(BigInt(Math.round(value)));
    const [device, times] = outermost(shots);
    const newest = shots.length - 1;
    const said = (index) => `${text(spreads[index])} ± ${text(bounds[index])}`;
    const words = `median ${text(quantile(sorted, 0.5))}, 95 of 100 within ${text(quantile(sorted, 0.95))}, largest ${text(sorted.at(-1))}`;
    const title = `Spread of the last ${counted(shots.length, 'shot')}`;
    const value = make('strong', { text: said(newest) });
    const svg = makeDrawing('svg', { viewBox: `0 0 ${shots.length} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: newest ${said(newest)}, ${words}` },
        makeDrawing('path', { class: 'bound', d: spreads.map((spread, index) => `M${index + 0.5} ${level(spread - bounds[index])}V${level(spread + bounds[index])}`).join('') }),
        makeDrawing('path', { class: 'line', d: spreads.map((spread, index) => `M${index + 0.2} ${level(spread)}h0.6`).join('') }));
    const indexAt = ({ offsetX }) => Math.min(newest, Math.max(0, Math.floor((offsetX / svg.clientWidth) * shots.length)));
    svg.addEventListener('pointermove', (event) => {
        const { time, earliest, latest } = shots[indexAt(event)];
        setText(value, `${instantText(time)}: ${said(indexAt(event))}, ${earliest} to ${latest}`);
    });
    svg.addEventListener('pointerleave', () => setText(value, said(newest)));
    svg.addEventListener('click', (event) => open(shots[indexAt(event)].shot));
    return make('figure', { class: 'card' }, make('figcaption', { class: 'head' }, make('span', { text: title }), value), svg,
        make('p', { class: 'figures', text: words }),
        make('p', { class: 'note', dir: 'auto', text: `Most often the earliest or the latest: ${device}, in ${times} of ${counted(shots.length, 'shot')}. A click on a bar opens its shot.` }));
}
