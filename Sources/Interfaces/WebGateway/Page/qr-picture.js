// Draws a QR code.

import { makeDrawing } from './elements.js';

/** Light modules around the code. */
const margin = 4;
/** CSS pixels of a module. */
const side = 4;

/** A picture of a code whose rows have `1` for each dark module; `label` says what it has. Dark on light in both schemes, as scanners expect. */
export function qrPicture(rows, label) {
    const dark = rows.flatMap((row, y) => [...row].flatMap((module, x) => (module === '1' ? [`M${x} ${y}h1v1h-1z`] : [])));
    const size = rows.length + 2 * margin;
    return makeDrawing('svg', { class: 'qr', role: 'img', 'aria-label': label, width: size * side, viewBox: `${-margin} ${-margin} ${size} ${size}` },
        makeDrawing('path', { d: dark.join('') }));
}
