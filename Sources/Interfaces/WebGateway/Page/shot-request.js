// The request for one shot, as docs/schema/shot-request-v1.json describes it. Its id is made with it, at the moment of the press.

import { jsonInteger } from './quantities.js';

/** A UUID of version 7. Its time comes from the page's monotonic clock, so a step of the wall clock makes no two alike. */
export function freshShotID() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    let milliseconds = BigInt(Math.round(performance.timeOrigin + performance.now()));
    for (let index = 5; index >= 0; index -= 1) {
        bytes[index] = Number(milliseconds & 0xffn);
        milliseconds >>= 8n;
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x70;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const text = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** When the shot is wanted; undefined for as soon as possible. An instant in the past needs no lead. */
function timeOf(instant, settings, cameras) {
    const relative = instant.document;
    if (relative) return relative;
    const lead = settings.lead(cameras);
    return lead === undefined ? undefined : { soon: { lead: jsonInteger(lead) } };
}

/** The body of `POST /shots` for what the form says at this moment. */
export function shotRequest({ selection, settings, instant }) {
    const shot = freshShotID();
    const cameras = selection.selected;
    const time = timeOf(instant, settings, cameras);
    const request = {
        shot, selection: selection.document, settings: settings.document(cameras), requireAll: settings.requireAll,
    };
    return time === undefined ? request : { ...request, time };
}
