// The shots before and after one, as the library lists them.

import { readShot } from './shot-document.js';

const pageSize = 100;
/** Newer pages that are read to find the next shot. */
const mostPages = 20;

/** The ids of the shots, or takes, `before` and `after` this one; undefined where there is none. `document` is that of the shot. */
export async function neighborsOf(gateway, document) {
    const { id, time, isTake } = readShot(document);
    const kind = isTake ? '&takes=true' : '';
    const around = (seconds) => new Date(Date.parse(time) + seconds * 1000).toISOString();
    const list = async (query) => {
        const { shots, takes, next } = await gateway.get(`shots?limit=${pageSize}${kind}&${query}`);
        return { ids: (shots ?? takes ?? []).map((entry) => entry.id), next };
    };
    const [older, ids] = [await list(`until=${around(1)}`), []];
    for (let [page, cursor] = [0, '']; page < mostPages && cursor !== undefined; page += 1) {
        const newer = await list(`since=${around(-1)}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        ids.push(...newer.ids);
        cursor = newer.next;
    }
    // Lists begin with the newest.
    const [below, above] = [older.ids.indexOf(id), ids.indexOf(id)];
    return { before: below < 0 ? undefined : older.ids[below + 1], after: above < 1 ? undefined : ids[above - 1] };
}
