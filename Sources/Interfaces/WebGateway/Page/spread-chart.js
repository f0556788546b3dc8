// A chart of the newest shots: how far apart the pictures of each were, with the error bound as a bar.

import { make, makeDrawing, setText } from './elements.js';
import { counted, durationText, number } from './quantities.js';

/** Of the shots of `GET /history`, at least one. `open`, if given, is called with the id of a shot that is clicked. */
export function spreadChart(shots, open) {
    const of = (shot) => [number(shot.spreadNanoseconds), number(shot.boundNanoseconds)];
    const top = Math.max(1, ...shots.map(of).map(([spread, bound]) => spread + bound));
    const y = (value) => (39 - (Math.max(0, value) / top) * 37).toFixed(1);
    const path = (name, place) => makeDrawing('path', { class: name, d: shots.map((shot, x) => `M${x + place(...of(shot))}`).join('') });
    const said = (shot) => `${of(shot).map(durationText).join(' ± ')}, ${shot.earliest} to ${shot.latest}`;
    const sorted = shots.map((shot) => of(shot)[0]).sort((a, b) => a - b);
    const share = (part) => durationText(sorted[Math.ceil(part * sorted.length) - 1]);
    const title = `Spread of the last ${counted(shots.length, 'shot')}`;
    const words = `median ${share(0.5)}, 95 of 100 within ${share(0.95)}, largest ${share(1)}`;
    const value = make('strong', { dir: 'auto', text: said(shots.at(-1)) });
    const svg = makeDrawing('svg', { viewBox: `0 0 ${shots.length} 40`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${words}` },
        path('bound', (spread, bound) => `.5 ${y(spread - bound)}V${y(spread + bound)}`), path('line', (spread) => `.2 ${y(spread)}h.6`));
    const at = ({ offsetX }) => shots[Math.min(shots.length - 1, Math.floor((offsetX / svg.clientWidth) * shots.length))];
    svg.addEventListener('pointermove', (event) => setText(value, said(at(event))));
    svg.addEventListener('click', (event) => open?.(at(event).shot));
    return make('figure', { class: 'card' }, make('figcaption', { class: 'head' }, make('span', { text: title }), value), svg, make('p', { class: 'figures', text: words }));
}
