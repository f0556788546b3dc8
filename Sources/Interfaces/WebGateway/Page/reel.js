// The files of one camera on one timeline. Times are seconds after T. No input or output.

import { lastAtMost } from './sample-tables.js';

/** The frames of a camera in the order of exposure, from all files that were read. */
export class Reel {
    /** By time: `number`, `start`, `begin`, `end`, `index`, `file`. */
    segments = [];

    constructor(device) {
        this.device = device;
    }

    /** Adds a file whose time 0 is at `start`. */
    add(number, start, index, file) {
        const { time, count, lastDuration } = index.pictures;
        const segment = { number, start, begin: start + time[0], end: start + time[count - 1] + lastDuration, index, file };
        this.segments.push(segment);
        this.segments.sort((a, b) => a.begin - b.begin);
    }

    get begin() { return this.segments[0]?.begin; }
    get end() { return this.segments.at(-1)?.end; }
    get codec() { return this.segments[0]?.index.pictures.codec; }
    /** The first file's sound; undefined without. */
    get sound() { return this.segments.find(({ index }) => index.sound)?.index.sound; }

    #frame(segment, index) {
        return segment && index >= 0 && index < segment.index.pictures.count
            ? { segment, index, time: segment.start + segment.index.pictures.time[index] } : undefined;
    }

    /** The typical distance of frames of a file, seconds. */
    static interval({ index: { pictures } }) {
        return pictures.count > 1 ? (pictures.time[pictures.count - 1] - pictures.time[0]) / (pictures.count - 1) : pictures.lastDuration;
    }

    /**
     * The frame whose exposure is nearest to a time: `segment`, `index` in its file, `time`.
     * Undefined where the camera has no picture: before the first, after the end, and where a file is missing.
     */
    frameAt(time) {
        const at = lastAtMost(this.segments.map(({ begin }) => begin), time);
        const [segment, next] = [this.segments[at], this.segments[at + 1]];
        const before = segment && lastAtMost(segment.index.pictures.time, time - segment.start);
        const candidates = [this.#frame(segment, before), this.#frame(segment, before + 1), this.#frame(next, 0)].filter(Boolean);
        const [nearest] = candidates.sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time));
        if (!nearest) return undefined;
        const tolerance = Reel.interval(nearest.segment);
        return time >= nearest.segment.begin - tolerance && time <= nearest.segment.end + tolerance ? nearest : undefined;
    }

    /** The frame `distance` frames after another one, also in another file; undefined beyond the ends. */
    neighbor({ segment, index }, distance) {
        let at = this.segments.indexOf(segment);
        let wanted = index + distance;
        while (at >= 0 && wanted < 0) {
            at -= 1;
            wanted += this.segments[at]?.index.pictures.count ?? 0;
        }
        while (this.segments[at] && wanted >= this.segments[at].index.pictures.count) {
            wanted -= this.segments[at].index.pictures.count;
            at += 1;
        }
        return this.#frame(this.segments[at], wanted);
    }

    /** The frame that follows (`direction` 1) or precedes (-1) what is shown at a time. */
    step(time, direction) {
        const shown = this.frameAt(time);
        if (shown) return this.neighbor(shown, direction);
        if (direction > 0) return this.#frame(this.segments.find(({ begin }) => begin > time), 0);
        const last = this.segments.findLast(({ end }) => end < time);
        return last && this.#frame(last, last.index.pictures.count - 1);
    }
}
