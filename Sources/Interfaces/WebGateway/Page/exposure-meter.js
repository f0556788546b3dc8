// The exposure of a live picture: its histogram, and in words how much of it is clipped and black.

import { make, setText } from './elements.js';
import { drawHistogram, measure } from './picture-analysis.js';

const mostPixels = 640;
const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** `elements` are the histogram and the words. */
export class ExposureMeter {
    #histogram = make('canvas', { width: '256', height: '100', role: 'img', 'aria-label': 'Histogram', class: 'histogram' });
    #words = make('p', { class: 'figures' });
    #small = make('canvas');
    elements = [this.#histogram, this.#words];

    /** Measures a small copy of a picture, and returns it as `ImageData`. */
    show(canvas) {
        const width = Math.min(mostPixels, canvas.width);
        const height = Math.max(1, Math.round((canvas.height * width) / canvas.width));
        Object.assign(this.#small, { width, height });
        const context = this.#small.getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0, width, height);
        const image = context.getImageData(0, 0, width, height);
        const measured = measure(image);
        drawHistogram(this.#histogram, measured);
        this.#say(`Mean ${percent(measured.mean)}, clipped ${percent(measured.clipped)}, black ${percent(measured.crushed)}`);
        return image;
    }

    /** Says why nothing is measured. */
    clear(reason) {
        this.#histogram.getContext('2d').reset();
        this.#say(reason);
    }

    #say(text) {
        setText(this.#words, text);
        this.#histogram.setAttribute('aria-label', `Histogram. ${text}`);
    }
}
