// A chart of the skews of a shot: a row for each camera, T in the middle, and a point with its error bound as a bar.

import { make } from './elements.js';
import { durationText } from './quantities.js';

/** A round step so that one to three of them lie within `reach`. */
function niceStep(reach) {
    const rough = reach / 1.2;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((factor) => factor * power).findLast((step) => step <= rough) ?? power;
}

function placed(className, at, width) {
    const element = make('span', { class: className });
    element.style.insetInlineStart = `${at}%`;
    if (width !== undefined) element.style.inlineSize = `${width}%`;
    return element;
}

/** The chart of the captures that have a skew, or a sentence if none has one. */
export function skewChart(captures) {
    const timed = captures.filter(({ skew }) => skew !== undefined);
    if (timed.length === 0) return make('p', { text: 'No camera has a skew yet.' });
    const reach = Math.max(1000, ...timed.map(({ skew, bound }) => Math.abs(Number(skew)) + Number(bound ?? 0n))) * 1.05;
    const scale = (value) => 50 + (50 * value) / reach;
    const step = niceStep(reach);
    const values = Array.from({ length: 2 * Math.floor(reach / step) + 1 }, (_, index) => (index - Math.floor(reach / step)) * step);
    const lines = () => values.map((value) => placed(value === 0 ? 'zero' : 'grid', scale(value)));
    const text = ({ skew, bound }) => `${durationText(skew, { signed: true })} ± ${durationText(bound)}`;
    const rows = timed.map((capture) => {
        const [at, error] = [Number(capture.skew), Number(capture.bound ?? 0n)];
        return make('div', { class: 'row' }, make('span', { class: 'of', dir: 'auto', text: capture.device }),
            make('span', { class: 'track' }, lines(), placed('bound', scale(at - error), (100 * error) / reach), placed('skew', scale(at))),
            make('span', { class: 'figures', text: text(capture) }));
    });
    const axis = values.map((value) => {
        const label = placed('tick', scale(value));
        label.textContent = value === 0 ? 'T' : durationText(BigInt(Math.round(value)), { signed: true });
        return label;
    });
    const description = timed.map((capture) => `${capture.device} ${text(capture)}`).join(', ');
    return make('div', { class: 'skews', role: 'img', 'aria-label': `Skew of each camera from T: ${description}` },
        rows, make('span', { class: 'track axis' }, axis));
}
