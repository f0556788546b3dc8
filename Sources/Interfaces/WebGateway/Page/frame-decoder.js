// The decoded frames around the one that is shown: a few ahead, so that none is waited for.

import { jpegSize } from './jpeg-header.js';

const atOnce = 3;
const longestFrame = 64 << 20;
const mostAhead = 24;

/** Decodes frames of one camera. Holds no more than were wanted last. */
export class FrameDecoder {
    #entries = new Map();
    #wanted = [];
    #running = 0;
    #isClosed = false;

    /** `changed` is called when a wanted frame was decoded, or cannot be. */
    constructor(changed) {
        this.changed = changed;
    }

    static #key({ segment, index }) { return `${segment.number}:${index}`; }

    /** How many frames fit into a number of bytes, when at most `widest` pixels wide. */
    static capacity({ width, height }, widest, byteCount) {
        const scale = Math.min(1, widest / Math.max(1, width));
        return Math.max(2, Math.min(mostAhead, Math.floor(byteCount / Math.max(1, width * height * 4 * scale * scale))));
    }

    /** Wants these frames, the most urgent first, and forgets the others. */
    want(frames, widest) {
        this.#wanted = frames.map((frame) => ({ frame, widest, key: FrameDecoder.#key(frame) }));
        const keys = new Set(this.#wanted.map(({ key }) => key));
        for (const [key, entry] of this.#entries) if (!keys.has(key)) this.#forget(key, entry);
        this.#proceed();
    }

    /** What has become of a frame: `bitmap`, or `problem`, a sentence; undefined while it is not decoded. */
    result(frame) {
        const entry = this.#entries.get(FrameDecoder.#key(frame));
        return entry?.bitmap || entry?.problem ? entry : undefined;
    }

    /** Decodes those again that could not be read. */
    retry() {
        for (const [key, entry] of this.#entries) if (entry.problem) this.#forget(key, entry);
        this.#proceed();
    }

    close() {
        this.#isClosed = true;
        this.want([], 1);
    }

    #forget(key, entry) {
        this.#entries.delete(key);
        entry.bitmap?.close();
        entry.isForgotten = true;
    }

    #proceed() {
        for (const { frame, widest, key } of this.#wanted) {
            if (this.#running >= atOnce) return;
            if (this.#entries.has(key)) continue;
            const entry = {};
            this.#entries.set(key, entry);
            this.#running += 1;
            this.#decode(frame, widest).then(
                (bitmap) => { entry.bitmap = bitmap; }, (problem) => { entry.problem = problem.message; },
            ).finally(() => {
                this.#running -= 1;
                if (entry.isForgotten) entry.bitmap?.close();
                if (this.#isClosed) return;
                this.#proceed();
                if (!entry.isForgotten) this.changed();
            });
        }
    }

    async #decode({ segment, index }, widest) {
        const { offset, size, width, height } = segment.index.pictures;
        const name = `Frame ${index + 1}`;
        if (size[index] > longestFrame) throw new Error(`${name} has ${size[index]} bytes; at most ${longestFrame} are decoded.`);
        const bytes = await segment.file.read(offset[index], size[index]);
        const found = jpegSize(bytes);
        if (!found) throw new Error(`${name} is damaged: it is not a JPEG.`);
        // A picture of another size could need any amount of memory.
        if (found.width !== width || found.height !== height) {
            throw new Error(`${name} is damaged: it has ${found.width} × ${found.height} pixels, its movie ${width} × ${height}.`);
        }
        // The track says how pictures are turned.
        const options = { imageOrientation: 'none', ...(width > widest ? { resizeWidth: Math.max(1, Math.round(widest)), resizeQuality: 'medium' } : {}) };
        return createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }), options).catch(() => {
            throw new Error(`${name} is damaged: it cannot be decoded.`);
        });
    }
}
