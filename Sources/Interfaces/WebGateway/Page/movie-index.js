// The index of a QuickTime or MP4 file: its tracks of pictures and sound, from the bytes of its box `moov`. Pure functions.

import { Box, MovieProblem } from './movie-boxes.js';
import { frameTable, soundTable } from './sample-tables.js';

const mostTracks = 32;
const pictureCodecs = { jpeg: 'jpeg', avc1: 'h264', avc3: 'h264' };
/** Uncompressed sound of 16 bits: whether its first byte is the less significant one. */
const soundCodecs = { sowt: true, twos: false };
const identity = [1, 0, 0, 1];

/** The units of time in a second, of the boxes `mvhd` and `mdhd`. */
function timeScale(box) {
    const scale = box.unsigned32(box.unsigned8(0) === 1 ? 20 : 12);
    if (scale === 0) throw new MovieProblem('a track counts time in units of no length');
    return scale;
}

/** How stored pictures are turned to stand upright: `[a, b, c, d]` of `x' = ax + cy, y' = bx + dy`, each -1, 0 or 1. */
function turning(header) {
    const at = header.unsigned8(0) === 1 ? 52 : 40;
    const values = [0, 4, 12, 16].map((offset) => header.signed32(at + offset) / 65536);
    const [a, b, c, d] = values;
    const isRight = values.every((value) => [-1, 0, 1].includes(value)) && Math.abs(a * d - b * c) === 1
        && Math.abs(a) + Math.abs(b) === 1;
    return isRight ? values.map((value) => value + 0) : identity;
}

/** When a track's time 0 is shown, seconds: the edit list moves it. One stretch of media is expected. */
function beginning(track, movieScale, scale) {
    const list = track.child('edts')?.child('elst');
    if (!list) return 0;
    const isLong = list.unsigned8(0) === 1;
    const size = isLong ? 20 : 12;
    let empty = 0;
    for (let edit = 0, count = list.entries(4, size); edit < count; edit += 1) {
        const at = 8 + edit * size;
        const length = isLong ? list.integer64(at) : list.unsigned32(at);
        const start = isLong ? list.integer64(at + 8, { isSigned: true }) : list.signed32(at + 4);
        if (start >= 0) return empty / movieScale - start / scale;
        empty += length;
    }
    return 0;
}

/** The first description of a track's samples. */
function description(table) {
    const box = table.at('stsd');
    const [first] = box.children(8);
    if (!first) throw new MovieProblem('a track does not say how it is coded');
    return first;
}

function pictures(track, table, context) {
    const entry = description(table);
    const frames = frameTable(table, context.fileSize);
    const scale = timeScale(track.at('mdia', 'mdhd'));
    const start = beginning(track, context.movieScale, scale);
    return {
        codec: pictureCodecs[entry.type], codeName: entry.type, width: entry.unsigned16(24), height: entry.unsigned16(26),
        turning: turning(track.at('tkhd')), ...frames,
        time: frames.time.map((time) => start + time / scale), lastDuration: frames.lastDuration / scale,
    };
}

function sound(track, table, context) {
    const entry = description(table);
    const isLittleEndian = soundCodecs[entry.type];
    // Compressed sound is left to the browser.
    if (isLittleEndian === undefined) return { codeName: entry.type, isCompressed: true };
    const [channels, bits, sampleRate] = [entry.unsigned16(16), entry.unsigned16(18), entry.unsigned32(24) / 65536];
    if (bits !== 16 || channels < 1 || channels > 8 || sampleRate < 8000 || sampleRate > 96000) {
        return { codeName: entry.type, problem: `its sound of ${channels} channels with ${bits} bits at ${sampleRate} Hz cannot be played` };
    }
    const frameSize = 2 * channels;
    const scale = timeScale(track.at('mdia', 'mdhd'));
    return {
        codeName: entry.type, channels, sampleRate, frameSize, isLittleEndian,
        start: beginning(track, context.movieScale, scale), ...soundTable(table, frameSize, context.fileSize),
    };
}

/**
 * Reads the content of the box `moov` of a file of `fileSize` bytes.
 * @returns `pictures`: codec (`jpeg`, `h264`, or undefined), size, turning, and of each frame the offset and size in bytes and the
 * time in seconds from the file's beginning; `sound`: where its samples are, or that it is compressed; undefined without.
 * @throws `MovieProblem`
 */
export function readMovieIndex(bytes, fileSize) {
    const movie = new Box('moov', new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (movie.child('mvex')) throw new MovieProblem('it is a recording that was not finished');
    const context = { fileSize, movieScale: timeScale(movie.at('mvhd')) };
    const found = {};
    let count = 0;
    for (const track of movie.children()) {
        if (track.type !== 'trak') continue;
        count += 1;
        if (count > mostTracks) throw new MovieProblem(`it has more than ${mostTracks} tracks`);
        const kind = track.at('mdia', 'hdlr').code(8);
        if (kind === 'vide') found.pictures ??= pictures(track, track.at('mdia', 'minf', 'stbl'), context);
        if (kind === 'soun') found.sound ??= sound(track, track.at('mdia', 'minf', 'stbl'), context);
    }
    if (!found.pictures) throw new MovieProblem('it has no track of pictures');
    return found;
}
