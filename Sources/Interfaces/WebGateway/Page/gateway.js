// The HTTP side of the gateway: requests, documents and problems.

/** A request that captures and waits longer would act when nobody expects it; milliseconds. */
export const capturePatience = 5000;
/** A download that takes longer is ended; milliseconds. */
const longestDownload = 86400000;
/** Said of a shot or take whose request had no answer. */
export const unknownRequest = 'It is not known whether the rig got the request; its result shows that.';

/** The members of a document that are sentences for people. */
const sentences = /"(?:detail|error|message|reason|\w*Problem|spoolShortage)"\s*:\s*"(?:[^"\\]|\\.)*"/g;

/** The document of a JSON text. In its sentences, words to type stand between backticks, for command lines; they are left out. */
export const readDocument = (text) => JSON.parse(text.replace(sentences, (member) => member.replaceAll('\x60', '')));

/** The same of an answer; an empty document if it has none. */
const documentOf = async (response) => readDocument(await response.text().catch(() => '{}'));

/** Why a request was refused, or had no answer. Its message is a sentence that says what to do. */
export class Problem extends Error {
    constructor(message, { status = 0, code = 'unreachable', wouldDelete } = {}) {
        super(message);
        this.name = 'Problem';
        this.status = status;
        this.code = code;
        /** Of a deletion that is refused: the files that it would remove, if they are known. */
        this.wouldDelete = wouldDelete;
    }

    /** Whether nothing answered at all, so it is not known what became of the request. */
    get isUnreachable() { return this.status === 0; }

    /** The message; with `doubt`, a sentence, if it is not known what became of the request. */
    text(doubt) { return this.isUnreachable ? `${this.message} ${doubt}` : this.message; }
}

async function problem(response) {
    const document = await documentOf(response).catch(() => ({}));
    const fallback = `The gateway answered with status ${response.status}. Reload the page.`;
    const message = [document.detail, document.title].find((text) => typeof text === 'string' && text) ?? fallback;
    return new Problem(message, { status: response.status, code: document.code ?? 'unknown', wouldDelete: document.wouldDelete });
}

async function answer(url, { signal, ...options }, patience) {
    const limit = AbortSignal.timeout(patience);
    try {
        return await fetch(url, { ...options, credentials: 'same-origin', signal: signal ? AbortSignal.any([signal, limit]) : limit });
    } catch {
        throw new Problem('The gateway does not answer. Check that capwebd runs and that this device reaches it.');
    }
}

/** One rig behind the gateway. Dispatches `ended` if the session is over. */
export class Gateway extends EventTarget {
    constructor({ rig, path, encodesMovies }) {
        super();
        this.rig = rig;
        /** Whether movies can be downloaded as MP4. */
        this.encodesMovies = encodesMovies === true;
        this.path = path.replace(/^\/+|\/+$/g, '');
    }

    /** Asks the gateway for its rig. */
    static async find() {
        const response = await answer('api/v1/rig', {}, 5000);
        if (!response.ok) throw await problem(response);
        return new Gateway(await response.json());
    }

    /** The address of a path, relative to the page. */
    url(path) { return `${this.path}/${path}`; }

    /** The address of the WebSocket. */
    get socketURL() {
        const url = new URL(this.url('live'), document.baseURI);
        url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
        return url.href;
    }

    get(path) { return this.send('GET', path); }

    /**
     * Sends a request once, and waits for the answer for at most `patience` milliseconds.
     * Returns the document of the answer, if it has one; throws a `Problem`.
     */
    async send(method, path, body, patience) {
        return (await this.exchange(method, path, { body, patience })).document;
    }

    /**
     * The same with entity tags: returns the `document` and the `tag` of what it is about, if it has one. A change with the tag `match` is
     * made only if nobody has changed that since; otherwise the `Problem` has the status 412.
     */
    async exchange(method, path, { body, match, patience = 30000 } = {}) {
        const options = { method, headers: { Accept: 'application/json' }, cache: 'no-store' };
        if (method !== 'GET') options.headers['Caprig-Request'] = '1';
        if (match !== undefined) options.headers['If-Match'] = match;
        if (body !== undefined) {
            options.headers['Content-Type'] = 'application/json';
            options.body = JSON.stringify(body);
        }
        const response = await answer(this.url(path), options, patience);
        if (!response.ok) throw await this.#refusal(response, path);
        const document = response.status === 204 ? undefined : await documentOf(response).catch(() => ({}));
        // A reverse proxy that compresses marks the tag as weak.
        return { document, tag: response.headers.get('ETag')?.replace(/^W\//, '') };
    }

    /** Asks whether a download would begin, and returns its headers; throws a `Problem` if not. */
    async probe(path) {
        const asked = await answer(this.url(path), { method: 'HEAD', cache: 'no-store' }, 30000);
        if (asked.ok) return asked.headers;
        // An answer to HEAD has no body, and so no reason.
        const response = await answer(this.url(path), { cache: 'no-store' }, 30000);
        if (!response.ok) throw await this.#refusal(response, path);
        response.body?.cancel().catch(() => {});
        return response.headers;
    }

    /** The parts of a download, as they arrive. Throws a `Problem`, also if its end is missing, and after `signal`. */
    async* parts(path, signal) {
        const response = await answer(this.url(path), { cache: 'no-store', signal }, longestDownload);
        if (!response.ok) throw await this.#refusal(response, path);
        const reader = response.body.getReader();
        for (;;) {
            const { done, value } = await reader.read().catch(() => {
                throw new Problem('The download ended early. Check that capwebd runs, and begin again.');
            });
            if (done) return;
            yield value;
        }
    }

    /** The bytes `start` to `end` of a stored file. Throws a `Problem`, also after `signal`. */
    async bytes(path, start, end, signal) {
        const headers = { Range: `bytes=${start}-${end - 1}` };
        const response = await answer(this.url(path), { headers, cache: 'no-store', signal }, 30000);
        if (!response.ok) throw await this.#refusal(response, path);
        if (response.status === 206) {
            const bytes = await response.arrayBuffer().catch(() => undefined);
            if (bytes?.byteLength === end - start) return new Uint8Array(bytes);
        } else {
            response.body?.cancel().catch(() => {});
        }
        throw new Problem(`The gateway did not send the bytes ${start} to ${end} of ${path}. Try again.`);
    }

    async #refusal(response, path) {
        const refusal = await problem(response);
        if (refusal.status === 401 && path !== 'login') {
            this.dispatchEvent(new CustomEvent('ended', { detail: refusal.message }));
        }
        return refusal;
    }
}

/** `node1/cam1` as two segments of a path. */
export function devicePath(device) {
    return device.split('/').map(encodeURIComponent).join('/');
}

/** A file of a shot, by its path in the shot's folder. `tree` is `thumbnails` or `previews` for a small picture of it, `mp4` for a movie as MP4. */
export function filePath(shot, path, tree = 'files') {
    return `shots/${encodeURIComponent(shot)}/${tree}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
