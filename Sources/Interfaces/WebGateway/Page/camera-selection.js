// Which cameras are triggered, recorded or set: all, those chosen in the pictures, or those with a label or at a position.

import { field, make } from './elements.js';

/** A camera whose node no longer configures it is left out, as the rig does, unless it is chosen by name. */
const isConfigured = ({ condition }) => condition.state !== 'notConfigured';

function counts(cameras, traits) {
    const byTrait = new Map();
    for (const camera of cameras) for (const trait of traits(camera.device)) byTrait.set(trait, (byTrait.get(trait) ?? 0) + 1);
    return [...byTrait].sort(([a], [b]) => a.localeCompare(b));
}

const labelsOf = ({ labels = [] }) => labels;
const positionOf = ({ position }) => [position ?? 'unspecified'];

/** Set `cameras` with each document of the rig. Dispatches `change`. */
class CameraSelection extends HTMLElement {
    #cameras = [];
    /** `all`, `device`, `label:NAME` or `position:NAME`. */
    #mode = 'all';
    #chosen = new Set();
    #shown = '';
    /** By `input`, which comes before others read what is chosen. */
    #select = make('select', { input: ({ target }) => this.#choose(target.value) });

    connectedCallback() {
        this.append(field('Cameras', this.#select));
        this.#show();
    }

    set cameras(cameras) {
        this.#cameras = cameras;
        this.#show();
    }

    /** Whether somebody has chosen cameras. */
    get isExplicit() { return this.#mode !== 'all'; }

    /** Whether a press on a picture chooses its camera. */
    get isByPicture() { return this.#mode === 'device'; }

    /** The selected cameras. */
    get selected() {
        const [mode, trait] = this.#mode.split(/:(.*)/s);
        switch (mode) {
        case 'all': return this.#cameras.filter(isConfigured);
        case 'device': return this.#cameras.filter(({ device }) => this.#chosen.has(device.id));
        default: return this.#cameras.filter(isConfigured).filter(({ device }) => (mode === 'label' ? labelsOf : positionOf)(device).includes(trait));
        }
    }

    has(id) { return this.selected.some(({ device }) => device.id === id); }

    /** The member `selection` of a request. The cameras at a position are named. */
    get document() {
        if (this.#mode === 'all') return { choice: { all: {} } };
        if (this.#mode.startsWith('label:')) return { labels: [this.#mode.slice(6)] };
        return { devices: this.selected.map(({ device }) => device.id) };
    }

    /** Adds a camera to the chosen ones or removes it. Without any, all cameras are selected again. */
    toggle(id) {
        if (this.#mode !== 'device') this.#chosen = new Set(this.isExplicit ? this.selected.map(({ device }) => device.id) : []);
        if (!this.#chosen.delete(id)) this.#chosen.add(id);
        this.#choose(this.#chosen.size ? 'device' : 'all');
    }

    /** Chooses one camera alone. */
    only(id) {
        this.#chosen = new Set([id]);
        this.#choose('device');
    }

    #choose(mode) {
        this.#mode = mode;
        this.#show();
        this.dispatchEvent(new Event('change'));
    }

    #show() {
        const present = this.#cameras.filter(isConfigured);
        const groups = (kind, traits) => counts(present, traits).map(([trait, count]) => [`${kind}:${trait}`, `${trait} (${count})`]);
        const items = [
            ['all', `All (${present.length})`], ['device', `Chosen (${this.#chosen.size})`], ...groups('label', labelsOf), ...groups('position', positionOf),
        ];
        const shown = JSON.stringify(items);
        if (shown !== this.#shown) this.#select.replaceChildren(...items.map(([value, text]) => make('option', { value, text })));
        this.#shown = shown;
        this.#select.value = this.#mode;
    }
}

customElements.define('caprig-selection', CameraSelection);
