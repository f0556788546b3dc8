// Everything that the views share: the gateway, the connection and what is known through them.

import { Connection } from './connection.js';
import { integer } from './quantities.js';
import { LivePictures } from './live-pictures.js';
import { RigClock } from './rig-clock.js';
import { Rig } from './rig.js';

const pingInterval = 2000;

/** One signed-in visit. Dispatches `ended` (`detail`: a sentence) when it is over. */
export class Session extends EventTarget {
    clock = new RigClock();
    isOver = false;
    #rigClockID;

    constructor(gateway) {
        super();
        this.gateway = gateway;
        this.connection = new Connection(gateway);
        this.pictures = new LivePictures(this.connection);
        this.rig = new Rig(this.connection);
    }

    /** Asks who is signed in, then connects. */
    async start() {
        this.gateway.addEventListener('ended', (event) => this.#end(event.detail));
        this.rig.identity = await this.gateway.get('identity');
        this.connection.addEventListener('message', (event) => this.#hear(event.detail));
        this.connection.addEventListener('open', () => this.#ping());
        this.connection.addEventListener('woke', () => this.#startClockAnew());
        setInterval(() => document.visibilityState === 'visible' && this.#ping(), pingInterval);
        this.connection.start();
    }

    /** Ends the session on the gateway. */
    async signOut() {
        await this.gateway.send('POST', 'logout');
        this.#end('You have signed out.');
    }

    /** The age of a live picture, seconds. Without a rig time it counts from the arrival. */
    age(picture) {
        const now = this.clock.now();
        if (now !== undefined && picture.time !== undefined) return Number(now - picture.time) / 1e9;
        return (performance.now() - picture.arrived) / 1000;
    }

    #ping() { this.connection.send(this.clock.ping()); }

    #startClockAnew() {
        this.clock.reset();
        this.#ping();
    }

    #hear(message) {
        switch (message.type) {
        case 'pong': this.clock.pong(message.id, integer(message.rig)); break;
        case 'ended': this.#end(message.detail); break;
        case 'rig': this.#follow(message.status?.rigClock); break;
        }
    }

    /** A coordinator on another time line makes every sample useless. */
    #follow(rigClock) {
        if (rigClock === this.#rigClockID) return;
        if (this.#rigClockID !== undefined) this.#startClockAnew();
        this.#rigClockID = rigClock;
    }

    #end(detail) {
        if (this.isOver) return;
        this.isOver = true;
        this.connection.end();
        this.dispatchEvent(new CustomEvent('ended', { detail: detail || 'The session has ended.' }));
    }
}
