// Reads the indexes of a camera's movies, and where they lie on the timeline.

import { MovieFile } from './movie-file.js';
import { sidecarStart } from './movie-listing.js';
import { Reel } from './reel.js';

const longestFirstLine = 4096;

/** Reads the files of a camera one after the other, as they are stored. */
export class ReelLoader {
    /** Why files cannot be played, by their kind. */
    problems = new Map();
    #done = new Set();
    #isLoading = false;

    constructor(blocks, camera, changed) {
        this.blocks = blocks;
        this.changed = changed;
        this.reel = new Reel(camera.device);
        this.update(camera);
    }

    /** The camera's part of a newer document. */
    update(camera) {
        this.camera = camera;
        for (const { kind, reason } of camera.files) {
            if (reason) this.problems.set(kind, reason);
        }
    }

    /** Files that are stored and not read yet. */
    get waiting() { return this.camera.files.filter(({ isStored, kind }) => isStored && !this.#done.has(kind)); }

    async load() {
        if (this.#isLoading) return;
        this.#isLoading = true;
        while (this.waiting.length && !this.blocks.isClosed) {
            const [next] = this.waiting;
            this.#done.add(next.kind);
            try {
                await this.#read(next);
                this.problems.delete(next.kind);
            } catch (problem) {
                this.problems.set(next.kind, problem.name === 'MovieProblem' ? `It cannot be played: ${problem.message}.` : problem.message);
            }
            if (!this.blocks.isClosed) this.changed();
        }
        this.#isLoading = false;
    }

    /** Tries files again that could not be read, such as while the gateway did not answer. */
    retry() {
        for (const { kind, isStored } of this.camera.files) {
            if (isStored && this.problems.has(kind)) this.#done.delete(kind);
        }
        return this.load();
    }

    async #read(entry) {
        const file = new MovieFile(this.blocks, entry.path, entry.byteCount);
        const index = await file.open();
        this.reel.add(entry.number, await this.#start(entry, index), index, file);
    }

    /** Where a file's time 0 lies after T. */
    async #start({ number, sidecar }, index) {
        // The manifest says when the first frame of a clip was exposed.
        if (this.camera.firstFrame !== undefined) return this.camera.firstFrame - index.pictures.time[0];
        const line = sidecar && await this.blocks.read(sidecar.path, sidecar.byteCount, 0, longestFirstLine).catch(() => undefined);
        const start = line && sidecarStart(line);
        if (start !== undefined) return start;
        if (number === 1) return 0;
        // A file ends where the next one begins.
        const before = this.reel.segments.find((segment) => segment.number === number - 1);
        if (before) return before.end;
        throw new Error('It is not known when it begins, since its list of frames cannot be read, and the file before it neither.');
    }
}
