// Which cameras a shot is for: all, some by name, or those with a label or at a position.

import { describeState } from './conditions.js';
import { choice, freshID, make } from './elements.js';
import { counted } from './quantities.js';

const modes = [['all', 'All cameras'], ['device', 'Cameras by name'], ['label', 'By label'], ['position', 'By position']];

/** What a camera has of a mode's kind. */
function traits({ device }, mode) {
    switch (mode) {
    case 'device': return [device.id];
    case 'label': return device.labels ?? [];
    case 'position': return [device.position ?? 'unspecified'];
    default: return [];
    }
}

/** A camera whose node no longer configures it is left out, as the rig does, unless it is chosen by name. */
const isConfigured = ({ condition }) => condition.state !== 'notConfigured';

/** Set `cameras` with each document of the rig. Dispatches `change`. */
class CameraSelection extends HTMLElement {
    #cameras = [];
    #mode = 'all';
    #chosen = { device: new Set(), label: new Set(), position: new Set() };
    #shown = '';
    #options = make('div', { class: 'options' });

    connectedCallback() {
        const group = freshID('selection');
        const rows = modes.map(([mode, text]) => choice(text, {
            type: 'radio', name: group, checked: mode === this.#mode, change: () => this.#choose(mode),
        }).row);
        this.append(make('fieldset', {}, make('legend', { text: 'Cameras' }), ...rows, this.#options));
        this.#show();
    }

    set cameras(cameras) {
        this.#cameras = cameras;
        this.#show();
    }

    /** The selected cameras. */
    get selected() {
        if (this.#mode === 'all') return this.#cameras.filter(isConfigured);
        const chosen = this.#chosen[this.#mode];
        const isChosen = (camera) => traits(camera, this.#mode).some((trait) => chosen.has(trait));
        return this.#cameras.filter((camera) => isChosen(camera) && (this.#mode === 'device' || isConfigured(camera)));
    }

    /** The member `selection` of a request. The cameras at a position are named. */
    get document() {
        switch (this.#mode) {
        case 'all': return { choice: { all: {} } };
        case 'label': return { labels: [...this.#chosen.label] };
        default: return { devices: this.selected.map(({ device }) => device.id) };
        }
    }

    #choose(mode) {
        this.#mode = mode;
        this.#show();
        this.dispatchEvent(new Event('change'));
    }

    #items() {
        if (this.#mode === 'all') return [];
        if (this.#mode === 'device') {
            return this.#cameras.map(({ device, condition }) => [device.id, describeState(condition.state).text]);
        }
        const counts = new Map();
        for (const camera of this.#cameras.filter(isConfigured)) {
            for (const trait of traits(camera, this.#mode)) counts.set(trait, (counts.get(trait) ?? 0) + 1);
        }
        return [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([trait, count]) => [trait, counted(count, 'camera')]);
    }

    /** Shows the choices of the mode; keeps the elements, and so the focus, while they are the same. */
    #show() {
        const items = this.#items();
        const shown = JSON.stringify([this.#mode, items]);
        if (shown === this.#shown) return;
        this.#shown = shown;
        const focused = this.#options.contains(document.activeElement) ? document.activeElement.dataset.trait : undefined;
        const chosen = this.#chosen[this.#mode];
        this.#options.replaceChildren(...items.map(([trait, note]) => {
            const { row, input } = choice(trait, {
                checked: chosen.has(trait),
                change: (event) => {
                    if (event.target.checked) chosen.add(trait);
                    else chosen.delete(trait);
                    this.dispatchEvent(new Event('change'));
                },
            }, note);
            input.dataset.trait = trait;
            if (trait === focused) queueMicrotask(() => input.focus());
            return row;
        }));
        if (this.#mode !== 'all' && items.length === 0) {
            this.#options.append(make('p', { class: 'note', text: 'There is none.' }));
        }
    }
}

customElements.define('caprig-selection', CameraSelection);
