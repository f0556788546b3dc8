// Live pictures of all watched cameras over the one WebSocket.

import { integer } from './quantities.js';

const headerLength = 32;

/** Reads a binary message: its header and the JPEG behind it. Undefined if it is not a picture of version 1. */
export function readPicture(data) {
    if (data.byteLength <= headerLength) return undefined;
    const view = new DataView(data);
    if (view.getUint8(0) !== 1) return undefined;
    const flags = view.getUint8(1);
    const hasTime = (flags & 2) !== 0;
    return {
        camera: view.getUint16(2, true),
        width: view.getUint16(4, true),
        height: view.getUint16(6, true),
        turn: view.getUint16(8, true),
        isMirrored: (flags & 1) !== 0,
        dropped: view.getUint32(12, true),
        time: hasTime ? view.getBigInt64(16, true) : undefined,
        bound: hasTime ? view.getBigInt64(24, true) : undefined,
        arrived: performance.now(),
        jpeg: new Blob([new Uint8Array(data, headerLength)], { type: 'image/jpeg' }),
    };
}

/**
 * One camera that somebody watches. `onPicture` returns a promise; the picture counts as shown when it settles.
 * `onSilence` gets a sentence that says why no picture comes.
 */
class Watch {
    constructor(pictures, camera, request) {
        Object.assign(this, { pictures, camera, ...request });
    }

    get message() {
        return { type: 'watch', camera: this.camera, device: this.device, kind: this.kind, rate: this.rate };
    }

    /** Asks for another kind or rate. */
    adapt(kind, rate) {
        if (kind === this.kind && rate === this.rate) return;
        Object.assign(this, { kind, rate });
        this.pictures.connection.send(this.message);
    }

    end() { this.pictures.remove(this); }
}

/** The watched cameras of the page, by their numbers. Watches them again after each reconnect. */
export class LivePictures {
    #watches = new Map();
    #next = 0;

    constructor(connection) {
        this.connection = connection;
        connection.addEventListener('open', () => this.#watchAgain());
        connection.addEventListener('picture', (event) => this.#show(event.detail));
        connection.addEventListener('message', (event) => this.#hear(event.detail));
    }

    /** Starts to watch a camera. `request` has `device`, `kind`, `rate`, `onPicture`, `onSilence`. */
    watch(request) {
        const watch = new Watch(this, this.#freeNumber(), request);
        this.#watches.set(watch.camera, watch);
        this.connection.send(watch.message);
        return watch;
    }

    remove(watch) {
        if (this.#watches.get(watch.camera) !== watch) return;
        this.#watches.delete(watch.camera);
        this.connection.send({ type: 'unwatch', camera: watch.camera });
    }

    /** Numbers rise, so that a late picture of an ended watch is not taken for one of the next. */
    #freeNumber() {
        while (this.#watches.has(this.#next)) this.#next = (this.#next + 1) & 0xffff;
        const camera = this.#next;
        this.#next = (this.#next + 1) & 0xffff;
        return camera;
    }

    #watchAgain() {
        for (const watch of this.#watches.values()) this.connection.send(watch.message);
    }

    async #show(data) {
        const picture = readPicture(data);
        const watch = picture && this.#watches.get(picture.camera);
        if (!watch) return;
        try {
            await watch.onPicture(picture);
        } catch {
            watch.onSilence?.('A picture arrived that this browser cannot show.');
        }
        if (this.#watches.get(watch.camera) === watch) this.connection.send({ type: 'ack', camera: watch.camera });
    }

    #hear(message) {
        if (message.type !== 'camera') return;
        const number = integer(message.camera);
        const watch = number === undefined ? undefined : this.#watches.get(Number(number));
        if (message.state === 'silent') watch?.onSilence?.(message.detail ?? 'No picture comes.');
    }
}
