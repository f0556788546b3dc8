// The shots before and after one, as the library lists them.

import { readShot } from './shot-document.js';

const pageSize = 100;
/** Newer pages that are read to find the next shot. */
const mostPages = 20;

/** Shots to either side that can be compared with this one. */
const nearby = 10;

/**
 * The ids of the shots, or takes, `before` and `after` this one; undefined where there is none. `near`: some of those around it, as lists have
 * them, the newest first. `document` is that of the shot.
 */
export async function neighborsOf(gateway, document) {
    const { id, time, isTake } = readShot(document);
    const kind = isTake ? '&takes=true' : '';
    const around = (seconds) => new Date(Date.parse(time) + seconds * 1000).toISOString();
    const list = async (query) => {
        const { shots, takes, next } = await gateway.get(`shots?limit=${pageSize}${kind}&${query}`);
        return { entries: shots ?? takes ?? [], next };
    };
    const [{ entries: older }, all] = [await list(`until=${around(1)}`), []];
    for (let [page, cursor] = [0, '']; page < mostPages && cursor !== undefined; page += 1) {
        const newer = await list(`since=${around(-1)}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        all.push(...newer.entries);
        cursor = newer.next;
    }
    // Lists begin with the newest.
    const [below, above] = [older, all].map((entries) => entries.findIndex((entry) => entry.id === id));
    const before = below < 0 ? [] : older.slice(below + 1, below + 1 + nearby);
    const after = above < 1 ? [] : all.slice(Math.max(0, above - nearby), above);
    return { before: before[0]?.id, after: after.at(-1)?.id, near: [...after, ...before] };
}
