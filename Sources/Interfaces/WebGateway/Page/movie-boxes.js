// The boxes of a QuickTime or MP4 file (QuickTime File Format, "Atoms"; ISO/IEC 14496-12, section 4.2). Pure functions on bytes.

/** Why a file cannot be played: what of it is damaged or unknown. */
export class MovieProblem extends Error {
    name = 'MovieProblem';
}

/** The header of the box at `offset` of `view`: its type, the length of the header, and that of the box; 0 means up to the end. */
export function boxHeader(view, offset) {
    if (offset + 8 > view.byteLength) throw new MovieProblem('the header of a box is cut off');
    const type = String.fromCharCode(...[4, 5, 6, 7].map((at) => view.getUint8(offset + at)));
    const short = view.getUint32(offset);
    if (short !== 1) {
        if (short > 0 && short < 8) throw new MovieProblem(`a box states ${short} bytes, fewer than its header has`);
        return { type, header: 8, length: short };
    }
    if (offset + 16 > view.byteLength) throw new MovieProblem('the header of a long box is cut off');
    const length = Number(view.getBigUint64(offset + 8));
    if (length < 16 || !Number.isSafeInteger(length)) throw new MovieProblem(`a long box states ${length} bytes`);
    return { type, header: 16, length };
}

/** One box in memory, whose children and fields can be read. Every access outside of it is a `MovieProblem`. */
export class Box {
    constructor(type, view) {
        this.type = type;
        this.view = view;
    }

    get byteLength() { return this.view.byteLength; }

    /** The boxes inside, from `offset` of its content on. */
    * children(offset = 0) {
        let at = offset;
        // A list may end with a zero of four bytes (QuickTime File Format, "User data atoms").
        while (at + 8 <= this.byteLength) {
            const { type, header, length } = boxHeader(this.view, at);
            const end = length === 0 ? this.byteLength : at + length;
            if (end > this.byteLength) throw new MovieProblem(`the box ${printable(type)} is longer than the one around it`);
            yield new Box(type, new DataView(this.view.buffer, this.view.byteOffset + at + header, end - at - header));
            at = end;
        }
    }

    child(type) {
        for (const child of this.children()) if (child.type === type) return child;
        return undefined;
    }

    /** The box at the end of a path; it must exist. */
    at(...path) {
        let box = this;
        for (const type of path) {
            const child = box.child(type);
            if (!child) throw new MovieProblem(`the box ${printable(box.type)} has no ${printable(type)}`);
            box = child;
        }
        return box;
    }

    #check(offset, length) {
        if (offset + length > this.byteLength) throw new MovieProblem(`the box ${printable(this.type)} is cut off`);
    }

    unsigned8(offset) { this.#check(offset, 1); return this.view.getUint8(offset); }
    unsigned16(offset) { this.#check(offset, 2); return this.view.getUint16(offset); }
    unsigned32(offset) { this.#check(offset, 4); return this.view.getUint32(offset); }
    signed32(offset) { this.#check(offset, 4); return this.view.getInt32(offset); }

    /** An integer of 64 bits; it must be exact as a number. */
    integer64(offset, { isSigned = false } = {}) {
        this.#check(offset, 8);
        const value = Number(isSigned ? this.view.getBigInt64(offset) : this.view.getBigUint64(offset));
        if (!Number.isSafeInteger(value)) throw new MovieProblem(`the box ${printable(this.type)} contains a number beyond 2^53`);
        return value;
    }

    /** Four letters. */
    code(offset) {
        this.#check(offset, 4);
        return String.fromCharCode(...[0, 1, 2, 3].map((at) => this.view.getUint8(offset + at)));
    }

    /** The number of entries of `size` bytes of a table whose count is at `offset`; all of them must be in the box. */
    entries(offset, size) {
        const count = this.unsigned32(offset);
        this.#check(offset + 4, count * size);
        return count;
    }
}

/** A type of box for a message. Files name them as they like. */
export function printable(type) {
    return `'${type.replace(/[^\x20-\x7e]/g, '?')}'`;
}
