// What the page knows of the rig, and how old that is.

import { integer } from './quantities.js';

const keptEvents = 500;
/** Without a document of the rig for this time, everything shown counts as old; milliseconds. */
const freshFor = 1600;

/**
 * The state of the rig from the WebSocket. Dispatches `rig` each second, `event`, `present`, `progress` (`detail`: the document),
 * and `freshness` when what is shown becomes old or current.
 */
export class Rig extends EventTarget {
    status;
    devices = [];
    events = [];
    identity = { permissions: [] };
    isOld = false;
    #told;
    #connection;
    #lost;
    #updated = performance.now();

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.addEventListener('message', (event) => this.#hear(event.detail));
        connection.addEventListener('state', () => this.#judge());
        setInterval(() => this.#judge(), 100);
    }

    /** Whether the session may do what needs one of these permissions. */
    may(...permissions) {
        return permissions.some((permission) => this.identity.permissions?.includes(permission));
    }

    /** Whether somebody else holds the rig, so that it refuses what this session changes. */
    get isHeldByOther() {
        const hold = this.status?.hold;
        return hold !== undefined && hold.holder !== this.identity.principal;
    }

    /** The cameras: devices that deliver pictures. */
    get cameras() {
        return this.devices.filter(({ device }) => (device.mediaType ?? 'video') === 'video');
    }

    camera(id) { return this.devices.find(({ device }) => device.id === id); }

    /** Seconds since the newest document of the rig. */
    get age() { return (performance.now() - this.#updated) / 1000; }

    /** Whether the page has just connected for the first time, so nothing is shown yet that could be old. */
    get isBeginning() {
        return !this.status && ['connecting', 'live'].includes(this.#connection.state);
    }

    /** Why what is shown is old; undefined while it is current. */
    get trouble() {
        const { state } = this.#connection;
        if (state === 'ended') return 'The session has ended.';
        if (state === 'away') return 'The gateway does not answer. This page connects again by itself.';
        if (state === 'connecting') return 'Connecting to the gateway …';
        if (this.#lost) return this.#lost;
        if (state === 'silent') return 'The gateway is silent. This page connects again by itself.';
        if (!this.status) return 'Waiting for the rig …';
        if (performance.now() - this.#updated > freshFor) return 'The gateway sends no news of the rig.';
        return undefined;
    }

    #hear(message) {
        switch (message.type) {
        case 'rig': this.#update(message); break;
        case 'coordinator': this.#lose(message); break;
        case 'event': this.#add(message.event); break;
        case 'present': this.dispatchEvent(new CustomEvent('present', { detail: message })); break;
        case 'progress': this.dispatchEvent(new CustomEvent('progress', { detail: message })); break;
        }
    }

    #update({ status, devices }) {
        this.#lost = undefined;
        this.#updated = performance.now();
        this.status = status;
        this.devices = devices.filter((entry) => entry?.device?.id && entry.condition);
        this.#judge();
        this.dispatchEvent(new Event('rig'));
    }

    #lose({ state, detail }) {
        if (state !== 'lost') return;
        this.#lost = detail ?? 'The coordinator does not answer.';
        this.#judge();
    }

    #add(event) {
        if (!event) return;
        this.#takeAbility(event);
        this.events.push(event);
        if (this.events.length > keptEvents) this.events.shift();
        this.dispatchEvent(new CustomEvent('event', { detail: event }));
    }

    /** Applies a changed ability at once, before the next document has it. */
    #takeAbility({ name, device, details }) {
        const abilities = name === 'device.abilityChanged' && this.camera(device)?.condition.session?.abilities;
        const member = details?.ability === 'switch' ? 'switchInput' : details?.ability;
        if (!abilities || !Object.hasOwn(abilities, member)) return;
        const { available, reason } = details;
        abilities[member] = { isAllowed: available === 'true', ...(reason === undefined ? {} : { reason }) };
        this.dispatchEvent(new Event('rig'));
    }

    #judge() {
        const trouble = this.trouble;
        const isOld = trouble !== undefined;
        if (isOld === this.isOld && trouble === this.#told) return;
        this.isOld = isOld;
        this.#told = trouble;
        this.dispatchEvent(new Event('freshness'));
    }

    /** How deep the rings of these cameras' nodes reach into the past, seconds; 0 if it is unknown. */
    ringDepth(cameras) {
        const names = new Set(cameras.map(({ device }) => device.id.split('/')[0]));
        const depths = (this.status?.nodes ?? []).filter(({ node }) => names.has(node))
            .map(({ ringDepthNanoseconds }) => Number(integer(ringDepthNanoseconds) ?? 0n) / 1e9);
        return depths.length ? Math.min(...depths) : 0;
    }
}
