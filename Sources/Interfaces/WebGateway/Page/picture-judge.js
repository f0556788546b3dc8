// Judges the pictures that the view Result shows, beside those of the shot before.

import { faultsOf, figuresOf } from './picture-faults.js';
import { readShot } from './shot-document.js';

/** Larger pictures are judged at this width. */
const widest = 1024;
/** Beyond it, cameras are not judged. */
const mostCameras = 64;

/** The figures of the picture at an address; undefined if it cannot be read. */
async function figuresAt(url) {
    const image = new Image();
    image.src = url;
    try {
        await image.decode();
        const width = Math.max(1, Math.min(widest, image.naturalWidth));
        const height = Math.max(1, Math.round((image.naturalHeight * width) / Math.max(1, image.naturalWidth)));
        const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
        context.drawImage(image, 0, 0, width, height);
        return figuresOf(context.getImageData(0, 0, width, height));
    } catch {
        return undefined;
    }
}

/** The pictures of one shot. */
export class PictureJudge {
    #figures = new Map();
    #before;
    #run = 0;

    constructor(gateway, shot) {
        Object.assign(this, { gateway, shot });
    }

    /** The faults of each camera's picture, sentences by device; undefined if newer captures were given during it. */
    async judge(captures) {
        this.#run += 1;
        const run = this.#run;
        const pictured = captures.filter(({ picture }) => picture).slice(0, mostCameras);
        this.#before ??= this.#readBefore();
        const before = await this.#before;
        const judged = [];
        // One after the other: a picture in full size is large.
        for (const { device, picture } of pictured) {
            if (this.#run !== run) return undefined;
            const earlier = before.get(device);
            judged.push({ device, figures: await this.#read(picture), before: earlier && await this.#read(earlier) });
        }
        const known = judged.filter(({ figures }) => figures);
        return new Map(known.map((one) => [one.device, faultsOf(
            one.figures, one.before, known.filter((other) => other !== one).map(({ figures }) => figures))]));
    }

    /** The figures of a picture, read once. */
    #read(path) {
        if (!this.#figures.has(path)) this.#figures.set(path, figuresAt(this.gateway.url(path)));
        return this.#figures.get(path);
    }

    /** The pictures of the shot before this one: addresses by device. None if it cannot be read. */
    async #readBefore() {
        try {
            const { time } = readShot(await this.gateway.get(`shots/${encodeURIComponent(this.shot)}`));
            // The list ends after this instant, and may begin with shots of the same second.
            const until = new Date(Date.parse(time) + 1000).toISOString();
            const { shots } = await this.gateway.get(`shots?limit=20&until=${until}`);
            const earlier = shots[shots.findIndex(({ id }) => id === this.shot) + 1];
            if (!earlier || !shots.some(({ id }) => id === this.shot)) return new Map();
            const { captures } = readShot(await this.gateway.get(`shots/${encodeURIComponent(earlier.id)}`));
            return new Map(captures.filter(({ picture }) => picture).map(({ device, picture }) => [device, picture]));
        } catch {
            return new Map();
        }
    }
}
