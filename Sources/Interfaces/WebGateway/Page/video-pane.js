// A camera of the player whose clip is H.264: the browser's own decoder shows it.

import { make } from './elements.js';
import { Pane } from './player-pane.js';

/** The largest distance from the player's time that is made up by speed; beyond it the browser's video is moved, seconds. */
const tolerated = 0.15;

/** A clip of one file. */
export class VideoPane extends Pane {
    #video;
    #changed;
    #wanted;
    #moved = 0;
    #problem = '';
    /** The video's own time of the file's time 0: browsers begin with the first picture or sound. */
    #shift;

    constructor(reel, changed, url) {
        const video = make('video', { playsinline: true, preload: 'auto', disablepictureinpicture: true, tabindex: '-1' });
        super(reel, video);
        this.#video = video;
        this.#changed = changed;
        video.muted = true;
        video.addEventListener('error', () => this.#fail());
        video.addEventListener('seeked', () => changed());
        video.requestVideoFrameCallback((_, { mediaTime }) => {
            this.#shift = mediaTime - reel.segments[0].index.pictures.time[0];
            this.#follow();
            changed();
        });
        video.src = url;
    }

    /** Whether its sound is heard. */
    set isHeard(isHeard) { this.#video.muted = !isHeard; }

    #fail() {
        this.#problem = 'This browser cannot play the clip. Its file can be downloaded.';
        this.#changed();
    }

    #follow() {
        this.#video.requestVideoFrameCallback((_, { mediaTime }) => {
            this.shown = this.#frameOf(mediaTime);
            this.#follow();
            this.#changed();
        });
    }

    /** The time in the video of a time after T: the middle of what is shown of its frame, so that rounding does no harm. */
    #target(position) {
        const frame = this.reel.frameAt(position);
        if (!frame) return undefined;
        const next = this.reel.neighbor(frame, 1)?.time ?? frame.segment.end;
        return this.#mediaTime((frame.time + next) / 2);
    }

    #mediaTime(time) { return time - this.reel.segments[0].start + (this.#shift ?? 0); }

    #frameOf(mediaTime) { return this.reel.frameAt(mediaTime - (this.#shift ?? 0) + this.reel.segments[0].start); }

    want(position, _, state) {
        if (state === 'playing' || this.#shift === undefined || this.#problem) return;
        const target = this.#target(position);
        if (target === undefined || target === this.#wanted) return;
        this.#wanted = target;
        this.#video.currentTime = target;
    }

    isReady(position) {
        if (this.#problem || !this.reel.frameAt(position)) return true;
        return this.#shift !== undefined && !this.#video.seeking && this.#video.readyState >= 2;
    }

    retry() {}

    draw(position) {
        const frame = this.reel.frameAt(position);
        // What the browser shows after a seek is told a little later than the seek's end.
        if (!frame) this.shown = undefined;
        else if (this.#video.paused && !this.#video.seeking) this.shown = frame;
        this.#video.classList.toggle('is-absent', !this.shown);
        this.describe(position, this.#problem);
        if (frame && !this.#video.paused) this.#keepUp(position);
    }

    /** Follows the player's clock by a little more or less speed. */
    #keepUp(position) {
        const late = this.#mediaTime(position) - this.#video.currentTime;
        if (Math.abs(late) > tolerated && performance.now() - this.#moved > 500) {
            this.#moved = performance.now();
            this.#video.currentTime = this.#mediaTime(position);
        } else if (!this.#video.seeking) {
            this.#video.playbackRate = this.speed * (1 + Math.max(-0.05, Math.min(0.05, late)));
        }
    }

    play(position, speed) {
        if (this.#problem || !this.reel.frameAt(position)) return;
        this.speed = speed;
        this.#wanted = undefined;
        this.#video.playbackRate = speed;
        this.#video.play().catch(() => {});
    }

    pause() { this.#video.pause(); }

    close() {
        this.#video.pause();
        this.#video.removeAttribute('src');
        this.#video.load();
    }
}
