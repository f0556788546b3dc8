// The sample tables of a track: where each sample is in the file, how long it is, and when it is shown
// (QuickTime File Format, "Sample table atoms"; ISO/IEC 14496-12, section 8.6 to 8.7). Pure functions.

import { MovieProblem } from './movie-boxes.js';

/** The most frames, and the most chunks of sound, that are read of a track: 9 h at 60 frames a second. */
const mostEntries = 1 << 21;

/** The chunks of a track: the file offset and the first sample of each. */
function chunksOf(table, sampleCount) {
    const offsets = table.child('stco') ?? table.at('co64');
    const isLong = offsets.type === 'co64';
    const count = offsets.entries(4, isLong ? 8 : 4);
    if (count > mostEntries) throw new MovieProblem(`a track has ${count} chunks; at most ${mostEntries} are read`);
    const runs = table.at('stsc');
    const runCount = runs.entries(4, 12);
    const chunks = { count, offset: new Float64Array(count), first: new Float64Array(count + 1) };
    let [run, perChunk] = [0, 0];
    for (let chunk = 0; chunk < count; chunk += 1) {
        chunks.offset[chunk] = isLong ? offsets.integer64(8 + chunk * 8) : offsets.unsigned32(8 + chunk * 4);
        // Chunks count from 1. Runs that begin at the same chunk, or before the one before, are skipped.
        while (run < runCount && runs.unsigned32(8 + run * 12) <= chunk + 1) {
            perChunk = runs.unsigned32(8 + run * 12 + 4);
            run += 1;
        }
        if (perChunk === 0) throw new MovieProblem(`chunk ${chunk + 1} of a track has no samples`);
        chunks.first[chunk + 1] = Math.min(sampleCount, chunks.first[chunk] + perChunk);
    }
    if (chunks.first[count] < sampleCount) {
        throw new MovieProblem(`a track has ${sampleCount} samples, and chunks for ${chunks.first[count]} of them`);
    }
    return chunks;
}

/** The samples of a track: their number and, if all have the same length, that length. */
function sizesOf(table) {
    const box = table.at('stsz');
    const constant = box.unsigned32(4);
    const count = constant > 0 ? box.unsigned32(8) : box.entries(8, 4);
    return { count, constant, of: (index) => (constant > 0 ? constant : box.unsigned32(12 + index * 4)) };
}

/** Calls `visit(sample, decodeTime, duration)` for each sample. */
function eachTime(table, count, visit) {
    const box = table.at('stts');
    const runs = box.entries(4, 8);
    let [sample, time] = [0, 0];
    for (let run = 0; run < runs && sample < count; run += 1) {
        const [length, duration] = [box.unsigned32(8 + run * 8), box.unsigned32(12 + run * 8)];
        for (let index = 0; index < length && sample < count; index += 1) {
            visit(sample, time, duration);
            sample += 1;
            time += duration;
        }
    }
    if (sample < count) throw new MovieProblem(`a track has ${count} frames, and times for ${sample} of them`);
}

/** Adds the difference of presentation and decoding times, which tracks with B-frames have. */
function addOffsets(table, times) {
    const box = table.child('ctts');
    if (!box) return;
    const runs = box.entries(4, 8);
    let sample = 0;
    for (let run = 0; run < runs; run += 1) {
        const [length, offset] = [box.unsigned32(8 + run * 8), box.signed32(12 + run * 8)];
        for (let index = 0; index < length && sample < times.length; index += 1) {
            times[sample] += offset;
            sample += 1;
        }
    }
}

/**
 * The frames of a picture track in the order of presentation.
 * @returns `count`, `offset` and `size` of each (bytes), `time` of each and `lastDuration` (units of the track).
 */
export function frameTable(table, fileSize) {
    const sizes = sizesOf(table);
    const { count } = sizes;
    if (count === 0) throw new MovieProblem('its track of pictures is empty');
    if (count > mostEntries) throw new MovieProblem(`it has ${count} frames; at most ${mostEntries} are read`);
    const [offset, size, time] = [new Float64Array(count), new Uint32Array(count), new Float64Array(count)];
    const chunks = chunksOf(table, count);
    for (let chunk = 0; chunk < chunks.count; chunk += 1) {
        let at = chunks.offset[chunk];
        for (let sample = chunks.first[chunk]; sample < chunks.first[chunk + 1]; sample += 1) {
            offset[sample] = at;
            size[sample] = sizes.of(sample);
            at += size[sample];
        }
        if (at > fileSize) throw new MovieProblem(`its index names bytes up to ${at}, and the file has ${fileSize}`);
    }
    let lastDuration = 0;
    eachTime(table, count, (sample, decodeTime, duration) => {
        time[sample] = decodeTime;
        lastDuration = duration;
    });
    addOffsets(table, time);
    return { count, ...presented({ offset, size, time }), lastDuration };
}

/** The same frames in the order of presentation. */
function presented(frames) {
    const { time } = frames;
    if (time.every((value, index) => index === 0 || value >= time[index - 1])) return frames;
    const order = Array.from(time.keys()).sort((a, b) => time[a] - time[b]);
    return Object.fromEntries(Object.entries(frames).map(([name, values]) => [name, values.map((_, index) => values[order[index]])]));
}

/** The samples of a track of uncompressed sound, of `frameSize` bytes each: `count`, and the chunks in which they are. */
export function soundTable(table, frameSize, fileSize) {
    const sizes = sizesOf(table);
    // A size of 1 stands for one sample of all channels in files of old programs (QuickTime File Format, "Sample size atoms").
    if (![1, frameSize].includes(sizes.constant)) throw new MovieProblem('the samples of its sound differ in length');
    const chunks = chunksOf(table, sizes.count);
    for (let chunk = 0; chunk < chunks.count; chunk += 1) {
        const end = chunks.offset[chunk] + (chunks.first[chunk + 1] - chunks.first[chunk]) * frameSize;
        if (end > fileSize) throw new MovieProblem(`the index of its sound names bytes up to ${end}, and the file has ${fileSize}`);
    }
    return { count: sizes.count, chunks };
}

/** The stretches of the file with the samples `start` to `end` of a sound table, in order: `offset` and `length` in bytes. */
export function soundStretches({ chunks }, frameSize, start, end) {
    const stretches = [];
    let chunk = lastAtMost(chunks.first.subarray(0, chunks.count), start);
    for (let sample = start; chunk >= 0 && chunk < chunks.count && sample < end; chunk += 1) {
        const until = Math.min(end, chunks.first[chunk + 1]);
        const offset = chunks.offset[chunk] + (sample - chunks.first[chunk]) * frameSize;
        if (until > sample) stretches.push({ offset, length: (until - sample) * frameSize });
        sample = until;
    }
    return stretches;
}

/** The index of the last value that is at most `value`, in ascending values; -1 if all are greater. */
export function lastAtMost(values, value) {
    let [low, high] = [0, values.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}
