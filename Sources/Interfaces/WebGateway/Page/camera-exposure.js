// Histogram and clipping of one of the selected cameras, live, beside its settings.

import { choice, field, make, picker } from './elements.js';
import { ExposureMeter } from './exposure-meter.js';
import { addZebra } from './picture-analysis.js';
import { drawPicture } from './picture-canvas.js';

const widest = 320;

/** Set `session` and `wall` before it is connected, and `cameras`, the selected ones, whenever they change. It watches while it can be seen. */
class CameraExposure extends HTMLElement {
    #cameras = [];
    #camera = picker([], '', { change: () => this.#update() });
    #picker = field('Exposure of', this.#camera);
    #meter = new ExposureMeter();
    #zebra = choice('Show clipping in the picture', { role: 'switch', change: ({ target }) => target.checked || this.#mark() });
    #canvas = make('canvas');
    #watch;
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.append(this.#picker, ...this.#meter.elements, this.#zebra.row);
        document.addEventListener('visibilitychange', () => this.#update(), { signal: this.#end.signal });
    }

    disconnectedCallback() {
        this.#end.abort();
        this.#leave();
    }

    set cameras(cameras) {
        this.#cameras = cameras;
        const ids = cameras.map(({ device }) => device.id);
        const { value, options } = this.#camera;
        if (ids.join(' ') !== [...options].map((option) => option.value).join(' ')) {
            this.#camera.replaceChildren(...ids.map((id) => make('option', { value: id, text: id })));
            this.#camera.value = ids.includes(value) ? value : ids[0];
        }
        this.hidden = ids.length === 0;
        this.#update();
    }

    /** Watches the chosen camera while it runs and this is seen. */
    #update() {
        const chosen = this.#cameras.find(({ device }) => device.id === this.#camera.value);
        const isWanted = chosen?.condition.state === 'running' && this.checkVisibility() && document.visibilityState === 'visible';
        if (isWanted && this.#watch?.device === chosen.device.id) return;
        this.#leave();
        if (!isWanted) return;
        this.#watch = this.session.pictures.watch({
            device: chosen.device.id, kind: 'preview', rate: 5, onPicture: (picture) => this.#show(picture), onSilence: (detail) => this.#meter.clear(detail),
        });
    }

    #leave() {
        this.#watch?.end();
        this.#watch = undefined;
        this.#meter.clear('No picture');
        this.#mark();
    }

    async #show(picture) {
        const watch = this.#watch;
        await drawPicture(this.#canvas, picture, widest);
        if (!watch || watch !== this.#watch) return;
        const image = this.#meter.show(this.#canvas);
        if (!this.#zebra.input.checked) return;
        const marks = new ImageData(image.width, image.height);
        addZebra(image, marks);
        this.#mark(marks);
    }

    /** Lays marks over the tile of the watched camera; without marks, over none. */
    #mark(marks) { this.wall.mark(marks && this.#watch.device, marks); }
}

customElements.define('caprig-exposure', CameraExposure);
