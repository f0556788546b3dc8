// The sound of a camera's movies by Web Audio: pieces of it are scheduled a little ahead, sample by sample after each other.

import { soundStretches } from './sample-tables.js';

const pieceLength = 0.5;
/** How far ahead pieces are scheduled, seconds. */
const horizon = 1.5;
/** From the start to the first sample, seconds. */
const lead = 0.05;
/** How long a browser may take to start sound, milliseconds. */
const patience = 1000;

/** Samples of 16 bits as one list of numbers from -1 to 1 for each channel. */
export function channelsOf(bytes, { channels, isLittleEndian }) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = Math.floor(bytes.byteLength / (2 * channels));
    return Array.from({ length: channels }, (_, channel) => {
        const samples = new Float32Array(count);
        for (let sample = 0; sample < count; sample += 1) {
            samples[sample] = view.getInt16((sample * channels + channel) * 2, isLittleEndian) / 32768;
        }
        return samples;
    });
}

/**
 * The next piece of a reel's sound from a time on: `segment`, the samples `from` to `to`, and the `time` of the first; undefined at the end.
 * A file's sound ends where the next file begins.
 */
export function nextPiece(reel, time, longest = pieceLength) {
    for (const [at, segment] of reel.segments.entries()) {
        const { sound } = segment.index;
        if (!sound?.chunks) continue;
        const begin = segment.start + sound.start;
        const limit = Math.min(begin + sound.count / sound.sampleRate, reel.segments[at + 1]?.begin ?? Infinity);
        // Half a sample of tolerance, since times are rounded.
        if (limit <= time + 0.5 / sound.sampleRate) continue;
        const from = Math.max(0, Math.round((time - begin) * sound.sampleRate));
        const to = Math.min(sound.count, Math.round((limit - begin) * sound.sampleRate), from + Math.round(longest * sound.sampleRate));
        if (to > from) return { segment, from, to, time: begin + from / sound.sampleRate, end: begin + to / sound.sampleRate };
    }
    return undefined;
}

/** Plays the sound of one reel at a time, at its own speed. */
export class SoundPlayer {
    /** The pieces that are scheduled and not over: `at` and `duration` on the context's clock, `time` after T. */
    scheduled = [];
    context;
    #first;
    #run = 0;

    /** The time of what is heard now, on the context's clock, seconds. */
    get now() { return this.context.currentTime - (this.context.outputLatency || 0); }

    /** Makes the browser's sound run, and reads the first piece after `position`. Answers whether it runs. */
    async prepare(reel, position) {
        this.stop();
        const run = this.#run;
        const { sampleRate } = reel.sound;
        if (this.context?.sampleRate !== sampleRate) {
            this.context?.close();
            this.context = new AudioContext({ sampleRate });
        }
        let timer;
        const limit = new Promise((resolve) => { timer = setTimeout(resolve, patience); });
        await Promise.race([this.context.resume().catch(() => {}), limit]);
        clearTimeout(timer);
        if (this.#run !== run || this.context?.state !== 'running') return false;
        const piece = nextPiece(reel, position);
        const buffer = piece && await this.#load(piece);
        if (this.#run === run && piece) this.#first = { position, piece, buffer };
        return true;
    }

    /** Schedules the sound from the `position` that was prepared on. Answers when, on the context's clock, that is heard. */
    start(reel, failed) {
        const { context } = this;
        const begin = context.currentTime + lead;
        if (!this.#first) return begin;
        const { position, piece, buffer } = this.#first;
        this.#schedule(buffer, begin + piece.time - position, piece.time);
        this.#feed(reel, piece.end, begin - position, this.#run).catch((problem) => failed(problem.message));
        return begin;
    }

    /** Schedules pieces as they come due. `offset`: from times after T to those of the context. */
    async #feed(reel, begin, offset, run) {
        const { context } = this;
        for (let time = begin; this.#run === run;) {
            if (time + offset > context.currentTime + horizon) {
                await new Promise((resolve) => { setTimeout(resolve, 100); });
                continue;
            }
            const piece = nextPiece(reel, time);
            if (!piece) return;
            const buffer = await this.#load(piece);
            if (this.#run !== run) return;
            this.#schedule(buffer, piece.time + offset, piece.time);
            time = piece.end;
        }
    }

    async #load({ segment, from, to }) {
        const { sound } = segment.index;
        const stretches = soundStretches(sound, sound.frameSize, from, to);
        const parts = await Promise.all(stretches.map(({ offset, length }) => segment.file.read(offset, length)));
        const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
        const buffer = this.context.createBuffer(sound.channels, to - from, sound.sampleRate);
        channelsOf(bytes, sound).forEach((samples, channel) => buffer.copyToChannel(samples, channel));
        return buffer;
    }

    /** What comes late begins with the samples of its time. */
    #schedule(buffer, at, time) {
        const late = Math.max(0, this.context.currentTime - at);
        if (late >= buffer.duration) return;
        const source = this.context.createBufferSource();
        source.buffer = buffer;
        source.connect(this.context.destination);
        source.start(at + late, late);
        const entry = { source, at: at + late, duration: buffer.duration - late, time: time + late };
        this.scheduled.push(entry);
        source.addEventListener('ended', () => {
            this.scheduled = this.scheduled.filter((other) => other !== entry);
        });
    }

    stop() {
        this.#run += 1;
        this.#first = undefined;
        for (const { source } of this.scheduled) source.stop();
        this.scheduled = [];
    }

    close() {
        this.stop();
        this.context?.close().catch(() => {});
        this.context = undefined;
    }
}
