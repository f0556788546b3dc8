// The document of a shot or take, as the views need it.

import { filePath } from './gateway.js';
import { durationText, integer } from './quantities.js';

const stored = new Set(['done', 'late']);
/** Kinds of which the rig makes small pictures, in the order in which one of them represents its camera. */
const pictured = ['photo', 'photo.2', 'alternatePhoto', 'movie'];

/** Kinds that the gateway can encode. */
const movies = /^(pairedVideo|movie(\.\d+)?)$/;

/** The files of a capture with their addresses. `problem` is the file's own: why it is missing or less than was requested. */
function filesOf(shot, capture) {
    return (capture.files ?? []).map((file) => {
        const isStored = stored.has(file.outcome) && file.path !== undefined;
        return {
            kind: file.kind, outcome: file.outcome === 'pending' ? capture.phase : file.outcome,
            byteCount: integer(file.byteCount), problem: (file.problem ?? file.shortfall)?.message ?? '', name: file.path,
            path: isStored ? filePath(shot, file.path) : undefined,
            mp4: isStored && movies.test(file.kind) ? filePath(shot, file.path, 'mp4') : undefined,
        };
    });
}

/** The addresses of a camera's pictures. While its still is on the way, the small one is the preview that the camera has sent. */
function picturesOf(shot, files) {
    const storedOf = (kind) => files.find((file) => file.kind === kind && file.path);
    const source = pictured.map(storedOf).find(Boolean);
    if (!source) return { picture: storedOf('preview')?.path, thumbnail: storedOf('preview')?.path };
    const picture = filePath(shot, source.name, 'previews');
    return { picture, thumbnail: filePath(shot, source.name, 'thumbnails'), largest: largestOf(source, picture) };
}

/** A still in full size; of one that browsers cannot show, the small picture. A movie has its player. */
function largestOf({ kind, path }, picture) {
    if (kind === 'movie') return undefined;
    return kind === 'alternatePhoto' ? picture : path;
}

/** What the node has claimed and the rig could not check. What is wrong is the capture's problem. */
function unverifiedOf(capture) {
    return (capture.doubts ?? []).filter((doubt) => doubt.verdict === 'unverified').map((doubt) => `Not verified: ${doubt.reason}`);
}

const claimsOfInstant = ['skew', 'bound', 'midExposure', 'dequeued'];

/** When the picture was exposed, unless the rig knows that this is wrong. */
function credibleTiming({ timing, doubts = [] }) {
    return doubts.some(({ claim, verdict }) => verdict === 'wrong' && claimsOfInstant.includes(claim)) ? undefined : timing;
}

/** One camera's part. */
function captureOf(shot, capture) {
    const files = filesOf(shot, capture);
    const timing = credibleTiming(capture);
    return {
        device: capture.device.id, purpose: capture.device.purpose ?? '', phase: capture.phase, files,
        problem: capture.problem?.message ?? '',
        notes: [capture.rawNote, capture.resolved?.livePhotoNote, capture.movie?.note, ...unverifiedOf(capture)].filter(Boolean),
        skew: integer(timing?.skewNanoseconds), bound: integer(timing?.midExposure?.boundNanoseconds),
        ...picturesOf(shot, files),
    };
}

/** How far the frames of two cameras drifted apart in a take. */
function driftOf({ drift: of }) {
    return of && `${of.behind} fell ${durationText(of.apartNanoseconds)} ± ${durationText(of.boundNanoseconds)} behind ${of.ahead}`;
}

/** Reads the document of `GET /shots/ID`. */
export function readShot(document) {
    const manifest = document.shot ?? document.take;
    return {
        id: manifest.id, isTake: document.take !== undefined || manifest.take !== undefined,
        status: manifest.status, isOpen: manifest.status === 'open', revision: integer(manifest.revision),
        time: document.time, title: document.title ?? '', note: document.note ?? '',
        triggeredBy: manifest.triggeredBy?.name ?? '',
        spread: document.spreadNanoseconds, worstSkew: document.worstSkewNanoseconds, worstBound: document.worstBoundNanoseconds, drift: driftOf(document),
        rejected: document.rejected ?? [], counts: document.counts ?? [], notConfigured: document.notConfigured ?? [],
        closed: manifest.leftOut ?? [],
        captures: (manifest.captures ?? []).map((capture) => captureOf(manifest.id, capture)),
    };
}
