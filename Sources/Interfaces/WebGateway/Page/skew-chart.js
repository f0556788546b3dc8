// A chart of the skews of a shot: a point for each camera, with its error bound as a bar.

import { make, makeDrawing } from './elements.js';
import { durationText } from './quantities.js';

const row = 26;
const width = 640;
const margin = { left: 170, right: 120, top: 8, bottom: 30 };

/** A round step so that about four lie within `reach`. */
function niceStep(reach) {
    const rough = reach / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

function line(x1, y1, x2, y2, className) {
    return makeDrawing('line', { x1, y1, x2, y2, class: className });
}

function label(x, y, text, anchor) {
    return makeDrawing('text', { x, y, 'text-anchor': anchor, text });
}

function axis(scale, reach, height) {
    const step = niceStep(reach);
    const parts = [];
    for (let value = -Math.floor(reach / step) * step; value <= reach; value += step) {
        const isZero = Math.abs(value) < step / 2;
        parts.push(line(scale(value), margin.top, scale(value), height - margin.bottom, isZero ? 'zero' : 'grid'));
        const text = isZero ? 'T' : durationText(BigInt(Math.round(value)), { signed: true });
        parts.push(label(scale(value), height - 10, text, 'middle'));
    }
    return parts;
}

function mark({ device, skew, bound }, y, scale) {
    const [at, error] = [Number(skew), Number(bound ?? 0n)];
    const [from, to] = [scale(at - error), scale(at + error)];
    return [
        label(margin.left - 10, y + 4, device, 'end'),
        line(from, y, to, y, 'bound'), line(from, y - 5, from, y + 5, 'bound'), line(to, y - 5, to, y + 5, 'bound'),
        makeDrawing('circle', { cx: scale(at), cy: y, r: 4, class: 'skew' }),
        label(width - margin.right + 10, y + 4, `${durationText(skew, { signed: true })} ± ${durationText(bound)}`, 'start'),
    ];
}

/** The chart of the captures that have a skew, or a sentence if none has one. */
export function skewChart(captures) {
    const timed = captures.filter(({ skew }) => skew !== undefined);
    if (timed.length === 0) return make('p', { text: 'No camera has a skew yet.' });
    const reach = Math.max(1000, ...timed.map(({ skew, bound }) => Math.abs(Number(skew)) + Number(bound ?? 0n))) * 1.05;
    const height = margin.top + timed.length * row + margin.bottom;
    const middle = margin.left + (width - margin.left - margin.right) / 2;
    const scale = (value) => middle + (value / reach) * ((width - margin.left - margin.right) / 2);
    const description = timed.map(({ device, skew, bound }) =>
        `${device} ${durationText(skew, { signed: true })} ± ${durationText(bound)}`).join(', ');
    return makeDrawing('svg', {
        viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'chart', 'aria-label': `Skew of each camera from T: ${description}`,
    }, ...axis(scale, reach, height),
    ...timed.flatMap((capture, index) => mark(capture, margin.top + (index + 0.5) * row, scale)));
}
