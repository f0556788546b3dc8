// A camera of the player whose frames are JPEGs: drawn on a canvas, by their index.

import { make } from './elements.js';
import { FrameDecoder } from './frame-decoder.js';
import { Pane } from './player-pane.js';

/** Frames that must be there before it plays. */
const readyAhead = 4;

export class FramePane extends Pane {
    #canvas;
    #decoder;
    #drawn;
    #first = [];

    constructor(reel, changed) {
        const canvas = make('canvas', { width: '16', height: '9', role: 'img' });
        super(reel, canvas);
        this.#canvas = canvas;
        this.#decoder = new FrameDecoder(changed);
    }

    /** Wants the frame of a time and, unless the player is paused, those after it, within `byteCount` bytes of memory. */
    want(position, byteCount, state) {
        const plays = state !== 'paused';
        const frame = this.reel.frameAt(position);
        // In stored pixels, of which a track that is turned shows the height across.
        const room = Math.max(640, this.#canvas.clientWidth * devicePixelRatio);
        const pictures = frame?.segment.index.pictures;
        const widest = !pictures || pictures.turning[0] !== 0 ? room : (room * pictures.width) / Math.max(1, pictures.height);
        const frames = frame ? [frame] : [];
        const count = pictures ? FrameDecoder.capacity(pictures, widest, byteCount) : 0;
        // What is shown stays, so that it can be drawn again; a step either way is at hand.
        for (let ahead = 1; frame && ahead < (plays ? count : 2); ahead += 1) {
            const next = this.reel.neighbor(frame, ahead);
            if (next) frames.push(next);
        }
        const before = frame && !plays && count > 2 && this.reel.neighbor(frame, -1);
        if (before) frames.push(before);
        this.#decoder.want(frames, widest);
        this.#first = frames.slice(0, state === 'waiting' ? readyAhead : 1);
    }

    /** Whether the picture of the time that was wanted can be drawn, or there is none; before it plays, a few after it too. */
    isReady() { return this.#first.every((frame) => this.#decoder.result(frame) !== undefined); }

    retry() { this.#decoder.retry(); }

    /** Draws the picture of a time, if it is ready; otherwise the picture before stays. */
    draw(position) {
        const frame = this.reel.frameAt(position);
        const result = frame && this.#decoder.result(frame);
        if (frame && !result) {
            if (this.shown) this.describe(position);
            return;
        }
        this.shown = frame;
        if (result?.bitmap && this.#drawn !== result.bitmap) this.#paint(result.bitmap, frame.segment.index.pictures.turning);
        this.#drawn = result?.bitmap;
        this.describe(position, result?.problem);
        this.#canvas.classList.toggle('is-absent', !result?.bitmap);
    }

    #paint(bitmap, [a, b, c, d]) {
        const [width, height] = a !== 0 ? [bitmap.width, bitmap.height] : [bitmap.height, bitmap.width];
        if (this.#canvas.width !== width) this.#canvas.width = width;
        if (this.#canvas.height !== height) this.#canvas.height = height;
        const context = this.#canvas.getContext('2d');
        context.setTransform(a, b, c, d, width / 2, height / 2);
        context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2);
        context.resetTransform();
    }

    play() {}
    pause() {}
    close() { this.#decoder.close(); }
}
