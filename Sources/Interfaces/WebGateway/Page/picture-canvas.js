// Draws the JPEG of a live picture upright onto a 2D canvas.

/** How large a picture is after it was turned. */
export function uprightSize({ width, height, turn }) {
    return turn % 180 === 0 ? { width, height } : { width: height, height: width };
}

/**
 * Decodes a picture, at most `widest` pixels wide when upright, and draws it turned, then mirrored.
 * The canvas takes the size of the picture, so it is cleared only if that changes.
 */
export async function drawPicture(canvas, picture, widest) {
    const upright = uprightSize(picture);
    const scale = Math.min(1, widest / Math.max(1, upright.width));
    const options = scale < 1 ? { resizeWidth: Math.max(1, Math.round(picture.width * scale)) } : {};
    const bitmap = await createImageBitmap(picture.jpeg, options);
    try {
        const { width, height } = uprightSize({ width: bitmap.width, height: bitmap.height, turn: picture.turn });
        if (canvas.width !== width) canvas.width = width;
        if (canvas.height !== height) canvas.height = height;
        const context = canvas.getContext('2d');
        context.setTransform(picture.isMirrored ? -1 : 1, 0, 0, 1, width / 2, height / 2);
        context.rotate((picture.turn * Math.PI) / 180);
        context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2);
        context.resetTransform();
    } finally {
        bitmap.close();
    }
}

/** Counts pictures for their rate, and adds up those that were dropped. */
export class PictureRate {
    dropped = 0;
    #arrivals = [];

    add(picture) {
        this.dropped += picture.dropped;
        this.#arrivals.push(performance.now());
        if (this.#arrivals.length > 128) this.#arrivals.shift();
    }

    /** Pictures a second within the last three seconds. */
    get perSecond() {
        const begin = performance.now() - 3000;
        const recent = this.#arrivals.filter((time) => time >= begin);
        if (recent.length < 2) return recent.length / 3;
        return ((recent.length - 1) * 1000) / (recent.at(-1) - recent[0]);
    }
}
