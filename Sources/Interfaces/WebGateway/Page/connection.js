// The WebSocket: one connection that comes back by itself.

import { readDocument } from './gateway.js';

const delays = { first: 500, longest: 5000 };
/** Without any message for this time the connection counts as silent, then as broken; milliseconds. */
const silence = { noticed: 1600, broken: 4000 };
const handshake = 5000;

/**
 * Keeps one WebSocket to the gateway. Dispatches `open`, `message` (`detail`: a document), `picture` (`detail`: bytes),
 * `state`, and `woke` when the page is visible or online again.
 *
 * States: `connecting`; `live`; `silent`, open but without a message; `away`, closed until the next attempt; `ended`.
 */
export class Connection extends EventTarget {
    state = 'connecting';
    #gateway;
    #socket;
    #delay = delays.first;
    #retry;
    #since = 0;

    constructor(gateway) {
        super();
        this.#gateway = gateway;
    }

    start() {
        this.#connect();
        setInterval(() => this.#check(), 100);
        document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.#wake());
        addEventListener('online', () => this.#wake());
        addEventListener('pageshow', (event) => event.persisted && this.#wake());
    }

    /** Sends a message if the connection is open; messages are never kept for later. */
    send(message) {
        if (this.#socket?.readyState !== WebSocket.OPEN) return false;
        this.#socket.send(JSON.stringify(message));
        return true;
    }

    /** Ends the connection for good. */
    end() {
        this.#enter('ended');
        clearTimeout(this.#retry);
        this.#abandon();
    }

    #enter(state) {
        if (this.state === state || this.state === 'ended') return;
        this.state = state;
        this.dispatchEvent(new CustomEvent('state', { detail: state }));
    }

    #connect() {
        clearTimeout(this.#retry);
        if (this.state === 'ended') return;
        this.#abandon();
        this.#since = performance.now();
        const socket = new WebSocket(this.#gateway.socketURL);
        this.#socket = socket;
        socket.binaryType = 'arraybuffer';
        const whileCurrent = (act) => (event) => this.#socket === socket && act(event);
        socket.addEventListener('open', whileCurrent(() => this.#opened()));
        socket.addEventListener('message', whileCurrent((event) => this.#received(event.data)));
        socket.addEventListener('close', whileCurrent(() => this.#closed()));
    }

    #abandon() {
        const socket = this.#socket;
        this.#socket = undefined;
        socket?.close();
    }

    #opened() {
        this.#heard();
        this.dispatchEvent(new Event('open'));
    }

    #heard() {
        this.#since = performance.now();
        this.#enter('live');
    }

    #received(data) {
        this.#heard();
        if (data instanceof ArrayBuffer) {
            this.dispatchEvent(new CustomEvent('picture', { detail: data }));
            return;
        }
        let message;
        try {
            message = readDocument(data);
        } catch {
            return;
        }
        this.#delay = delays.first;
        this.dispatchEvent(new CustomEvent('message', { detail: message }));
    }

    #closed() {
        this.#socket = undefined;
        this.#enter('away');
        this.#scheduleRetry();
        // Why a handshake failed is hidden from pages; a request says whether the session has ended.
        this.#gateway.get('identity').catch(() => {});
    }

    #scheduleRetry() {
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => this.#connect(), this.#delay);
        this.#delay = Math.min(this.#delay * 2, delays.longest);
    }

    #check() {
        if (!this.#socket || this.state === 'ended') return;
        const quiet = performance.now() - this.#since;
        if (this.#socket.readyState === WebSocket.CONNECTING) {
            if (quiet > silence.noticed) this.#enter('away');
            if (quiet > handshake) this.#giveUp();
        } else if (quiet > silence.broken) {
            this.#giveUp();
        } else if (quiet > silence.noticed) {
            this.#enter('silent');
        }
    }

    #giveUp() {
        this.#abandon();
        this.#enter('away');
        this.#scheduleRetry();
    }

    #wake() {
        if (this.state === 'ended') return;
        this.dispatchEvent(new Event('woke'));
        const isFresh = this.state === 'live' && performance.now() - this.#since < silence.noticed;
        if (isFresh) return;
        this.#delay = delays.first;
        this.#connect();
    }
}
