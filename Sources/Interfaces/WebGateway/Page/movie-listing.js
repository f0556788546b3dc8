// What of a shot or take can be played, from the document of `GET /shots/ID`. Pure functions.

import { filePath } from './gateway.js';
import { integer } from './quantities.js';

const stored = new Set(['done', 'late']);
const expected = new Set(['pending', 'preparing', 'armed', 'captured']);

/** Seconds from one rig time to another; undefined if one of them is unknown. */
function seconds(from, to) {
    const [begin, end] = [integer(from), integer(to)];
    return begin === undefined || end === undefined ? undefined : Number(end - begin) / 1e9;
}

/** The number of a file in its recording, by its kind; undefined if it is not a movie. */
function numberOf(kind, word) {
    if (kind === word) return 1;
    const [, digits] = new RegExp(`^${word}\\.(\\d\\d)$`).exec(kind) ?? [];
    return digits ? Number(digits) : undefined;
}

/** Why a file is not there; empty if it is still expected. */
function reasonOf(file, capture) {
    if (expected.has(file.outcome) && expected.has(capture.phase)) return '';
    return file.problem?.message ?? capture.problem?.message ?? `The rig has not stored it (${file.outcome}).`;
}

function fileOf(shot, capture, file, number) {
    const isStored = stored.has(file.outcome) && file.path !== undefined;
    const sidecar = (capture.files ?? []).find((other) => numberOf(other.kind, 'frames') === number && stored.has(other.outcome) && other.path);
    return {
        number, kind: file.kind, isStored, byteCount: Number(integer(file.byteCount) ?? 0n),
        path: isStored ? filePath(shot, file.path) : undefined, reason: isStored ? '' : reasonOf(file, capture),
        sidecar: sidecar ? { path: filePath(shot, sidecar.path), byteCount: Number(integer(sidecar.byteCount) ?? 0n) } : undefined,
    };
}

function cameraOf(shot, time, capture) {
    const files = (capture.files ?? []).flatMap((file) => {
        const number = file.kind === 'pairedVideo' ? 1 : numberOf(file.kind, 'movie');
        return number === undefined ? [] : [fileOf(shot, capture, file, number)];
    });
    return {
        device: capture.device.id, files: files.sort((a, b) => a.number - b.number),
        /** When the clip's first frame was exposed, seconds after T; undefined for a take. */
        firstFrame: seconds(time, capture.clip?.start?.time),
    };
}

/**
 * The cameras with movies or clips, and the marks of the take. Times are seconds after T.
 * @returns `id`, `isTake`, `cameras[]` (`device`, `firstFrame`, `files[]`), `marks[]` (`time`, `text`).
 */
export function readMovies(document) {
    const shot = document.shot ?? document.take;
    const cameras = (shot.captures ?? []).map((capture) => cameraOf(shot.id, shot.time, capture)).filter(({ files }) => files.length > 0);
    const marks = (shot.take?.marks ?? []).map(({ time, text }) => ({ time: seconds(shot.time, time), text }))
        .filter(({ time }) => time !== undefined).sort((a, b) => a.time - b.time);
    return { id: shot.id, isTake: shot.take !== undefined, cameras, marks };
}

/** Where a file begins in its recording, seconds, from the first line of its sidecar; undefined if that does not tell it. */
export function sidecarStart(bytes) {
    const [line] = new TextDecoder().decode(bytes).split('\n', 1);
    try {
        const { segmentStart, timeScale } = JSON.parse(line);
        return Number.isSafeInteger(segmentStart) && timeScale > 0 ? segmentStart / timeScale : undefined;
    } catch {
        return undefined;
    }
}
