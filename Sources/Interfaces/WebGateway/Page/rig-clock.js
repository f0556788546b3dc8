// Rig time on this page, from pings over the WebSocket. The browser's wall clock plays no part in it.

const kept = 8;

/** The page's own monotonic clock, nanoseconds. */
function localNow() {
    return BigInt(Math.round(performance.now() * 1e6));
}

/** Estimates rig time as an offset to the page's monotonic clock. */
export class RigClock {
    #samples = [];
    #sent = new Map();
    #next = 1;

    /** A ping to send. */
    ping() {
        const id = this.#next;
        this.#next += 1;
        this.#sent.set(id, localNow());
        if (this.#sent.size > kept) this.#sent.delete(this.#sent.keys().next().value);
        return { type: 'ping', id };
    }

    /** Takes the answer to a ping; `rig` is undefined while the coordinator does not answer. */
    pong(id, rig) {
        const sent = this.#sent.get(id);
        this.#sent.delete(id);
        if (sent === undefined || rig === undefined) return;
        const roundTrip = localNow() - sent;
        this.#samples.push({ roundTrip, offset: rig - (sent + roundTrip / 2n) });
        if (this.#samples.length > kept) this.#samples.shift();
    }

    /** Forgets everything: after a sleep of this machine, or in another boot of the coordinator's. */
    reset() {
        this.#samples = [];
        this.#sent.clear();
    }

    /** The sample with the least round trip; undefined before the first one. */
    get #best() {
        return this.#samples.reduce(
            (best, sample) => (best === undefined || sample.roundTrip < best.roundTrip ? sample : best), undefined);
    }

    /** Rig time, nanoseconds; undefined while it is unknown. */
    now() {
        const best = this.#best;
        return best === undefined ? undefined : localNow() + best.offset;
    }

    /** The largest error of `now()`, nanoseconds; undefined while it is unknown. */
    get bound() {
        const best = this.#best;
        return best === undefined ? undefined : best.roundTrip / 2n;
    }
}
