// Bytes of stored files, read by ranges in blocks.

const blockSize = 128 << 10;
/** The most bytes of one request. */
const longestRequest = 2 << 20;
const mostRequests = 4;

/** The blocks of files that were read last, up to a number of bytes, and the requests under way. One for all movies of a player. */
export class BlockCache {
    #blocks = new Map();
    #held = 0;
    #running = 0;
    #waiting = [];

    constructor(gateway, limit = 64 << 20) {
        this.gateway = gateway;
        this.limit = limit;
        this.end = new AbortController();
    }

    /** Bytes that are held. */
    get held() { return this.#held; }

    get isClosed() { return this.end.signal.aborted; }

    /** Ends every request. */
    close() {
        this.end.abort();
        this.#blocks.clear();
        this.#held = 0;
        this.#waiting.splice(0).forEach(({ refuse }) => refuse(new Error('The player was closed.')));
    }

    /** Bytes of a file, from the cache as far as they are in it. */
    async read(path, fileSize, offset, length) {
        const end = Math.min(fileSize, offset + length);
        const [first, last] = [Math.floor(offset / blockSize), Math.ceil(end / blockSize)];
        const blocks = await Promise.all(Array.from({ length: Math.max(0, last - first) }, (_, index) => index + first)
            .map((block) => this.#block(path, fileSize, block, last)));
        const bytes = new Uint8Array(Math.max(0, end - offset));
        blocks.forEach((block, index) => {
            const start = (first + index) * blockSize;
            const from = Math.max(offset, start);
            const part = block.subarray(from - start, Math.min(end, start + block.length) - start);
            bytes.set(part, from - offset);
        });
        return bytes;
    }

    /** One block; its neighbors up to `last` that are missing too come with the same request. */
    #block(path, fileSize, block, last) {
        const key = `${path} ${block}`;
        const known = this.#blocks.get(key);
        if (known) {
            // The last used are kept.
            this.#blocks.delete(key);
            this.#blocks.set(key, known);
            return known.bytes;
        }
        let count = 1;
        while (block + count < last && (count + 1) * blockSize <= longestRequest && !this.#blocks.has(`${path} ${block + count}`)) count += 1;
        const start = block * blockSize;
        const stretch = this.#request(path, start, Math.min(fileSize, start + count * blockSize));
        for (let index = 0; index < count; index += 1) this.#keep(path, block + index, stretch, index);
        return this.#blocks.get(key).bytes;
    }

    #keep(path, block, stretch, index) {
        const key = `${path} ${block}`;
        // A copy, so that one block of a stretch does not keep the others.
        const entry = { bytes: stretch.then((bytes) => bytes.slice(index * blockSize, (index + 1) * blockSize)) };
        this.#blocks.set(key, entry);
        this.#held += blockSize;
        entry.bytes.catch(() => this.#blocks.get(key) === entry && this.#drop(key));
        for (const oldest of this.#blocks.keys()) {
            if (this.#held <= this.limit) break;
            this.#drop(oldest);
        }
    }

    #drop(key) {
        if (this.#blocks.delete(key)) this.#held -= blockSize;
    }

    /** A few requests at once; the newest that waits is next, since it is that of the picture somebody waits for. */
    #request(path, start, end) {
        return new Promise((resolve, refuse) => {
            this.#waiting.push({ resolve, refuse, act: () => this.gateway.bytes(path, start, end, this.end.signal) });
            this.#proceed();
        });
    }

    #proceed() {
        while (this.#running < mostRequests && this.#waiting.length) {
            const { resolve, refuse, act } = this.#waiting.pop();
            this.#running += 1;
            act().then(resolve, refuse).finally(() => {
                this.#running -= 1;
                this.#proceed();
            });
        }
    }
}
