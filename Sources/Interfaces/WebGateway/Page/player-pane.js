// One camera of the player: its name, a place for its picture, and which frame that is.

import { foreignText, make, setText } from './elements.js';
import { durationText } from './quantities.js';

/** A time after T for people. */
export function timeText(seconds) {
    const sign = seconds < 0 ? '−' : '+';
    return `T ${sign} ${Math.abs(seconds).toFixed(3)} s`;
}

/** What every pane has: the name of the camera, a place for the picture, and its figures. */
export class Pane {
    element = make('figure', { class: 'pane' });
    figures = make('p', { class: 'figures' });
    veil = make('p', { class: 'veil', dir: 'auto' });
    /** The frame that is shown; undefined while there is none. */
    shown;

    constructor(reel, picture) {
        this.reel = reel;
        picture.setAttribute('aria-label', `Pictures of ${reel.device}`);
        this.element.append(foreignText(reel.device, 'figcaption'), make('div', { class: 'frame' }, picture, this.veil), this.figures);
    }

    /** Writes which frame is shown, and how far it lies from the player's time. */
    describe(position, problem = '') {
        const frame = this.shown;
        setText(this.veil, frame ? problem : `No picture of this camera at ${timeText(position)}`);
        if (!frame) {
            setText(this.figures, '');
            return;
        }
        const { segment, index, time } = frame;
        const file = this.reel.segments.length > 1 ? `file ${segment.number}, ` : '';
        const distance = Math.round((time - position) * 1e9);
        // Times are exact to microseconds.
        const apart = Math.abs(distance) < 1000 ? '' : ` · ${durationText(BigInt(distance), { signed: true })}`;
        setText(this.figures, `${file}frame ${index + 1} of ${segment.index.pictures.count} · ${timeText(time)}${apart}`);
    }
}
