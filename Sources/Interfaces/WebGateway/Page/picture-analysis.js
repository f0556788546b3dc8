// Exposure and focus of a picture, from its pixels. Pure functions on `ImageData`.

const clippedFrom = 250;
const crushedTo = 5;

/** Luma of Rec. 709 for each pixel. */
function luma({ data, width, height }) {
    const values = new Uint8Array(width * height);
    for (let pixel = 0, byte = 0; pixel < values.length; pixel += 1, byte += 4) {
        values[pixel] = (data[byte] * 54 + data[byte + 1] * 183 + data[byte + 2] * 19) >> 8;
    }
    return values;
}

/** Counts of 256 levels for red, green and blue, the mean of luma, and the shares of clipped and of crushed pixels. */
export function measure(image) {
    const [red, green, blue] = Array.from({ length: 3 }, () => new Uint32Array(256));
    const { data } = image;
    const values = luma(image);
    let [clipped, crushed, sum] = [0, 0, 0];
    for (let pixel = 0, byte = 0; pixel < values.length; pixel += 1, byte += 4) {
        red[data[byte]] += 1;
        green[data[byte + 1]] += 1;
        blue[data[byte + 2]] += 1;
        sum += values[pixel];
        if (isClipped(data, byte)) clipped += 1;
        else if (isCrushed(data, byte)) crushed += 1;
    }
    const count = Math.max(1, values.length);
    return { red, green, blue, clipped: clipped / count, crushed: crushed / count, mean: sum / count / 255 };
}

function isClipped(data, byte) {
    return data[byte] >= clippedFrom || data[byte + 1] >= clippedFrom || data[byte + 2] >= clippedFrom;
}

function isCrushed(data, byte) {
    return data[byte] <= crushedTo && data[byte + 1] <= crushedTo && data[byte + 2] <= crushedTo;
}

function paint(data, byte, red, green, blue) {
    data[byte] = red;
    data[byte + 1] = green;
    data[byte + 2] = blue;
    data[byte + 3] = 255;
}

/** Marks clipped pixels with rising stripes, crushed ones with falling stripes. `phase` moves the stripes. */
export function addZebra(image, overlay, phase = 0) {
    const { data, width, height } = image;
    for (let y = 0, byte = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1, byte += 4) {
            if (isClipped(data, byte)) {
                const isDark = ((x + y + phase) & 7) < 4;
                paint(overlay.data, byte, isDark ? 0 : 255, isDark ? 0 : 60, isDark ? 0 : 60);
            } else if (isCrushed(data, byte) && ((x - y + phase) & 7) < 2) {
                paint(overlay.data, byte, 80, 140, 255);
            }
        }
    }
}

/** Marks sharp edges: pixels whose gradient (Sobel) is far above what the picture has on average. */
export function addPeaking(image, overlay) {
    const { width, height } = image;
    const values = luma(image);
    const gradients = new Uint16Array(values.length);
    let sum = 0;
    for (let y = 1; y < height - 1; y += 1) {
        for (let x = 1; x < width - 1; x += 1) {
            const at = y * width + x;
            const [above, below] = [at - width, at + width];
            const across = values[above + 1] + 2 * values[at + 1] + values[below + 1]
                - values[above - 1] - 2 * values[at - 1] - values[below - 1];
            const down = values[below - 1] + 2 * values[below] + values[below + 1]
                - values[above - 1] - 2 * values[above] - values[above + 1];
            gradients[at] = Math.abs(across) + Math.abs(down);
            sum += gradients[at];
        }
    }
    const threshold = Math.max(160, (sum / Math.max(1, values.length)) * 4);
    for (let at = 0; at < gradients.length; at += 1) {
        if (gradients[at] > threshold) paint(overlay.data, at * 4, 255, 0, 220);
    }
}

/** Draws the levels of the three colors into a canvas; the height is the root of the count, so that few pixels show. */
export function drawHistogram(canvas, measured) {
    const context = canvas.getContext('2d');
    const { width, height } = canvas;
    context.fillStyle = '#101418';
    context.globalCompositeOperation = 'source-over';
    context.fillRect(0, 0, width, height);
    // The ends are where clipped pixels gather: they do not set the scale.
    const inner = [measured.red, measured.green, measured.blue].map((levels) => Math.max(...levels.subarray(2, 254)));
    const top = Math.sqrt(Math.max(1, ...inner));
    context.globalCompositeOperation = 'lighter';
    for (const [levels, color] of [[measured.red, '#d33'], [measured.green, '#3a3'], [measured.blue, '#45e']]) {
        context.fillStyle = color;
        context.beginPath();
        context.moveTo(0, height);
        levels.forEach((count, level) => {
            context.lineTo((level / 255) * width, height - Math.min(1, Math.sqrt(count) / top) * height);
        });
        context.lineTo(width, height);
        context.fill();
    }
    context.globalCompositeOperation = 'source-over';
}
