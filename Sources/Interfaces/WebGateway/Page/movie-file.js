// A stored movie, read by ranges of bytes: its index, then frames and sound as they are needed.

import { boxHeader, MovieProblem, printable } from './movie-boxes.js';
import { readMovieIndex } from './movie-index.js';

/** The largest index that is read: hours of frames. */
const largestIndex = 32 << 20;
/** The most boxes of a file that are looked at to find its index. */
const mostBoxes = 64;
const probe = 4096;

/**
 * Finds the box `moov` and reads it.
 * @param read `read(offset, length)` answers bytes of the file, fewer at its end.
 * @returns as `readMovieIndex`. @throws `MovieProblem`, or what `read` throws.
 */
export async function loadMovieIndex(read, fileSize) {
    let at = 0;
    let window = { start: 0, bytes: new Uint8Array(0) };
    for (let count = 0; at < fileSize; count += 1) {
        if (count === mostBoxes) throw new MovieProblem(`its first ${mostBoxes} boxes are not an index`);
        if (at < window.start || at + 16 > window.start + window.bytes.length) {
            window = { start: at, bytes: await read(at, Math.min(probe, fileSize - at)) };
        }
        const { bytes, start } = window;
        const { type, header, length } = boxHeader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at - start);
        if (!/^[\x20-\x7e]{4}$/.test(type)) throw new MovieProblem(`it has ${printable(type)} where a box begins`);
        const end = length === 0 ? fileSize : at + length;
        if (end > fileSize) throw new MovieProblem(`it ends within its box ${printable(type)}`);
        if (type === 'moov') {
            if (end - at > largestIndex) throw new MovieProblem(`its index has ${end - at} bytes; at most ${largestIndex} are read`);
            return readMovieIndex(await read(at + header, end - at - header), fileSize);
        }
        at = end;
    }
    throw new MovieProblem('it has no index: its end is missing');
}

/** One stored movie. `path` is that of the API. */
export class MovieFile {
    constructor(blocks, path, byteCount) {
        Object.assign(this, { blocks, path, byteCount });
    }

    /** Reads the index once. Throws what is wrong with the file, or why it cannot be read. */
    async open() {
        this.index ??= await loadMovieIndex((offset, length) => this.read(offset, length), this.byteCount);
        return this.index;
    }

    read(offset, length) { return this.blocks.read(this.path, this.byteCount, offset, length); }
}
