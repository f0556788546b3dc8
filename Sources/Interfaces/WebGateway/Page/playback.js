// Playing: the time that is shown, the panes that follow it, and the sound. It knows no controls.

import { PlaybackClock } from './playback-clock.js';
import { SoundPlayer } from './sound-player.js';

/** Memory for decoded pictures, of all cameras together, bytes. */
const pictureMemory = 160 << 20;
/** How long a picture may be missing before everything waits for it or, when paused, before the others are drawn; seconds. */
const patience = 0.3;
const now = () => performance.now() / 1000;

/**
 * The cameras of a player in step. Times are seconds after T. Dispatches `change` when something else is shown or the state is another
 * one, and `note` with a sentence.
 */
export class Playback extends EventTarget {
    /** The panes by device. Call `refresh()` after a change. */
    panes = new Map();
    /** `paused`, `playing`, or `waiting` for pictures or sound before it plays. */
    state = 'paused';
    begin = 0;
    end = 0;
    speed = 1;
    /** The reel whose sound is heard; undefined for none. */
    soundReel;
    sound = new SoundPlayer();
    #clock = new PlaybackClock();
    #run = 0;
    /** Whether sound is heard; undefined while that is not known. */
    #hasSound;
    #missingSince;
    #request;

    get position() { return Math.max(this.begin, Math.min(this.end, this.#clock.position)); }

    close() {
        this.#run += 1;
        cancelAnimationFrame(this.#request);
        // Nothing more is drawn.
        this.#request = 0;
        this.sound.close();
        for (const pane of this.panes.values()) pane.close();
    }

    /** The time that the player covers. */
    setRange(begin, end) {
        // Nobody has moved it from the beginning, which is earlier or later than it was known to be.
        const isAtBegin = this.state === 'paused' && this.position === this.begin;
        [this.begin, this.end] = [begin, end];
        if (isAtBegin) this.#clock.stop(begin);
    }

    play() { return this.#start(this.position >= this.end - 0.001 ? this.begin : this.position); }

    /** Begins again where it is, after a change of speed or sound. */
    restart() { if (this.state !== 'paused') this.#start(this.position); }

    pause() {
        if (this.state === 'paused') return;
        this.#halt('paused', this.position);
        this.refresh();
    }

    /** Shows the frames of a time; goes on playing from there if it plays. */
    seek(time) {
        const position = Math.max(this.begin, Math.min(this.end, time));
        if (this.state !== 'paused') {
            this.#start(position);
            return;
        }
        this.#halt('paused', position);
        for (const pane of this.panes.values()) pane.retry();
        this.refresh();
    }

    /** The reel whose frames are stepped: that of the first camera that has a picture; undefined without a camera. */
    get lead() {
        const reels = [...this.panes.values()].map(({ reel }) => reel);
        return reels.find((reel) => reel.frameAt(this.position)) ?? reels[0];
    }

    /** Pauses, and steps one frame on (1) or back (-1). */
    step(direction) {
        this.pause();
        const frame = this.lead?.step(this.position, direction);
        if (frame) this.seek(frame.time);
    }

    async #start(position) {
        this.#halt('waiting', position);
        const run = this.#run;
        for (const pane of this.panes.values()) pane.retry();
        this.refresh();
        const hasSound = await this.#prepareSound();
        if (this.#run !== run) return;
        this.#hasSound = hasSound;
        this.refresh();
    }

    #note(text) { this.dispatchEvent(new CustomEvent('note', { detail: text })); }

    async #prepareSound() {
        const sound = this.soundReel?.sound;
        if (!sound || sound.isCompressed) return false;
        if (this.speed !== 1) {
            this.#note('There is sound only at speed 1.');
            return false;
        }
        try {
            const runs = await this.sound.prepare(this.soundReel, this.position);
            this.#note(runs ? '' : 'The browser does not start its sound; the pictures play without it.');
            return runs;
        } catch (problem) {
            this.#note(`The sound cannot be read: ${problem.message}`);
            return false;
        }
    }

    /** The pictures are there: the clock begins, by that of the sound if there is any. */
    #begin() {
        const { position } = this;
        this.state = 'playing';
        if (this.#hasSound) {
            const failed = (problem) => this.#note(`The sound cannot be read: ${problem}`);
            const begin = this.sound.start(this.soundReel, failed);
            this.#clock.start(position, 1, () => this.sound.now, begin);
        } else {
            this.#clock.start(position, this.speed);
        }
        for (const pane of this.panes.values()) pane.play(position, this.speed);
    }

    #halt(state, position) {
        this.#run += 1;
        this.#clock.stop(position);
        this.sound.stop();
        for (const pane of this.panes.values()) pane.pause();
        [this.state, this.#hasSound, this.#missingSince] = [state, undefined, undefined];
    }

    /** Draws with the browser's next frame, once for many changes. */
    refresh() {
        this.#request ??= requestAnimationFrame(() => {
            this.#request = undefined;
            this.#draw();
        });
    }

    #draw() {
        const { position } = this;
        const panes = [...this.panes.values()];
        for (const pane of panes) pane.want(position, pictureMemory / panes.length, this.state);
        const isReady = panes.every((pane) => pane.isReady(position, this.state));
        this.#missingSince = isReady ? undefined : this.#missingSince ?? now();
        const isLate = !isReady && now() - this.#missingSince > patience;
        if (this.state === 'waiting' && isReady && this.#hasSound !== undefined) this.#begin();
        // In step: all at once, unless one is waited for too long.
        if (isReady || isLate || this.state === 'playing') for (const pane of panes) pane.draw(position);
        this.dispatchEvent(new Event('change'));
        if (this.state === 'playing') this.#supervise(position, isLate);
        if (this.state !== 'paused' || (!isReady && !isLate)) this.refresh();
    }

    #supervise(position, isLate) {
        if (position >= this.end) this.pause();
        else if (isLate) this.#start(position);
        // Sound that the browser has stopped, such as for a call, would stop the clock.
        else if (this.#hasSound && this.sound.context.state !== 'running') this.#start(position);
    }
}
