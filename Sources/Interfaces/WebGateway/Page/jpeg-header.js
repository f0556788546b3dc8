// The size of a JPEG, from its header (ITU-T T.81, annex B). A pure function on bytes.

const startsOfFrame = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/** Width and height in pixels; undefined if the bytes do not begin as a JPEG. */
export function jpegSize(bytes) {
    if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
    let at = 2;
    while (at + 9 <= bytes.length) {
        if (bytes[at] !== 0xff) return undefined;
        const marker = bytes[at + 1];
        if (marker === 0xff) {
            at += 1;
            continue;
        }
        const length = (bytes[at + 2] << 8) | bytes[at + 3];
        if (startsOfFrame.has(marker)) {
            return { height: (bytes[at + 5] << 8) | bytes[at + 6], width: (bytes[at + 7] << 8) | bytes[at + 8] };
        }
        if (length < 2 || marker === 0xda) return undefined;
        at += 2 + length;
    }
    return undefined;
}
