// Whether a picture looks black, frozen or soft, with the figures that say so. Pure functions on `ImageData`.

/** A picture whose mean and brightest hundredth are below these levels, of 255, looks black. */
const darkMean = 8;
const darkHighlights = 32;
/** A picture with less than this share of the detail of another one looks soft. */
const softShare = 0.4;

/** Luma of Rec. 601 for each pixel. */
function lumaOf({ data }) {
    const values = new Uint8Array(data.length / 4);
    for (let pixel = 0, byte = 0; pixel < values.length; pixel += 1, byte += 4) {
        values[pixel] = (data[byte] * 77 + data[byte + 1] * 150 + data[byte + 2] * 29) >> 8;
    }
    return values;
}

/** The level that all but a hundredth of the pixels stay below. */
function highlights(values) {
    const counts = new Uint32Array(256);
    for (const value of values) counts[value] += 1;
    let level = 255;
    for (let above = 0; level > 0; level -= 1) {
        above += counts[level];
        if (above * 100 >= values.length) break;
    }
    return level;
}

/**
 * Fine detail: how much neighbors differ from each other, as a share of how much all pixels differ; 0 to about 1.
 * Defocus lowers it, exposure and contrast hardly do.
 */
function detailOf(values, width, height) {
    let [sum, squares, edges] = [0, 0, 0];
    for (let y = 1; y < height - 1; y += 1) {
        for (let x = 1; x < width - 1; x += 1) {
            const at = y * width + x;
            const value = values[at];
            const curvature = 4 * value - values[at - 1] - values[at + 1] - values[at - width] - values[at + width];
            sum += value;
            squares += value * value;
            edges += curvature * curvature;
        }
    }
    const count = Math.max(1, (width - 2) * (height - 2));
    const variance = squares / count - (sum / count) ** 2;
    // A plain surface has no detail to judge.
    return variance < 4 ? undefined : Math.sqrt(edges / count / 20 / variance);
}

/** What is judged of a picture: `mean` and `highlights` of 255, `detail`, and its luma. */
export function figuresOf(image) {
    const values = lumaOf(image);
    const { width, height } = image;
    return {
        width, height, values, highlights: highlights(values), detail: detailOf(values, width, height),
        mean: values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
    };
}

const isSameSize = (one, other) => one.width === other.width && one.height === other.height;

function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
}

/** The picture that a detail is compared with: the camera's own before it, or else what most of at least two others have. */
function reference(figures, before, others) {
    if (before?.detail !== undefined && isSameSize(figures, before)) return { detail: before.detail, of: 'its picture before' };
    const comparable = others.filter((other) => other.detail !== undefined && isSameSize(figures, other));
    return comparable.length > 1 ? { detail: median(comparable.map(({ detail }) => detail)), of: 'most other cameras' } : undefined;
}

/**
 * What is wrong with a picture as far as it can be seen, as sentences with figures; empty if nothing is.
 * `before` is the figures of the same camera's picture before; `others` those of other cameras at the same time.
 */
export function faultsOf(figures, before, others = []) {
    if (figures.mean < darkMean && figures.highlights < darkHighlights) {
        return [`Looks black: mean ${figures.mean.toFixed(1)}, brightest hundredth ${figures.highlights} of 255`];
    }
    const faults = [];
    if (before && isSameSize(figures, before) && figures.values.every((value, at) => value === before.values[at])) {
        faults.push(`Looks frozen: none of ${figures.values.length} points differs from its picture before`);
    }
    const usual = reference(figures, before, others);
    if (figures.detail !== undefined && usual && figures.detail < softShare * usual.detail) {
        faults.push(`Looks soft: detail ${figures.detail.toFixed(2)}, ${usual.of} ${usual.detail.toFixed(2)}`);
    }
    return faults;
}
