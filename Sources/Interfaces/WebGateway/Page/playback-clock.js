// The player's time. While there is sound, it is the time of the sound that is heard, so that pictures stay with it.

const seconds = () => performance.now() / 1000;

/** Counts from a position at a speed, by a clock in seconds. It never goes back while it runs. */
export class PlaybackClock {
    #position = 0;
    #begun;
    #speed = 1;
    #now = seconds;
    #furthest = 0;

    get isRunning() { return this.#begun !== undefined; }

    /** Runs from `position` on, once `now()` has reached `begin`. */
    start(position, speed = 1, now = seconds, begin = now()) {
        [this.#position, this.#speed, this.#now, this.#begun, this.#furthest] = [position, speed, now, begin, position];
    }

    get position() {
        if (this.#begun === undefined) return this.#position;
        const reached = this.#position + Math.max(0, this.#now() - this.#begun) * this.#speed;
        this.#furthest = Math.max(this.#furthest, reached);
        return this.#furthest;
    }

    /** Stops, at `position` or where it is. */
    stop(position = this.position) {
        this.#begun = undefined;
        this.#position = position;
    }
}
