// The view of the rig: a tile for each camera, in groups.

import './camera-dialog.js';
import './camera-tile.js';
import { runningText } from './conditions.js';
import { field, heading, make, picker, setText } from './elements.js';

const groupings = [['node', 'node'], ['label', 'label'], ['position', 'position']];
const gravities = [['aspect', 'whole'], ['aspectFill', 'filling'], ['resize', 'stretched']];
const tileSizes = [['small', 'small'], ['medium', 'medium'], ['large', 'large']];

function remembered(key, options, fallback) {
    const value = localStorage.getItem(`caprig.${key}`);
    return options.some(([option]) => option === value) ? value : fallback;
}

function groupName({ device }, grouping) {
    if (grouping === 'label') return device.labels?.length ? device.labels.join(', ') : 'no label';
    if (grouping === 'position') return device.position ?? 'unspecified';
    return device.id.split('/')[0];
}

/** Set `session` before it is connected. */
class RigView extends HTMLElement {
    #tiles = new Map();
    #layout = '';
    #inside = new WeakSet();
    #groups = make('div');
    #summary = make('p', { role: 'status' });
    #grouping = picker(groupings, remembered('grouping', groupings, 'node'), { change: () => this.#choose() });
    #size = picker(tileSizes, remembered('tiles', tileSizes, 'medium'), { change: () => this.#choose() });
    #gravity = picker(gravities, remembered('gravity', gravities, 'aspect'), { change: () => this.#choose() });
    #dialog;
    #end;

    connectedCallback() {
        this.append(heading('Rig'),
            make('div', { class: 'toolbar' }, field('Group by', this.#grouping), field('Tiles', this.#size), field('Pictures', this.#gravity),
                this.#summary),
            this.#groups);
        this.#end = new AbortController();
        const { signal } = this.#end;
        this.observer = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: '64px' });
        this.session.rig.addEventListener('rig', () => this.#update(), { signal });
        document.addEventListener('visibilitychange', () => this.#showTiles(), { signal });
        addEventListener('resize', () => this.#showTiles(), { signal });
        this.addEventListener('open-camera', (event) => this.#openCamera(event.detail));
        this.ticker = setInterval(() => this.#tick(), 250);
        this.#choose();
    }

    disconnectedCallback() {
        this.#end.abort();
        this.observer.disconnect();
        clearInterval(this.ticker);
        this.#dialog?.remove();
    }

    #choose() {
        localStorage.setItem('caprig.grouping', this.#grouping.value);
        localStorage.setItem('caprig.tiles', this.#size.value);
        localStorage.setItem('caprig.gravity', this.#gravity.value);
        document.body.dataset.gravity = this.#gravity.value;
        this.#groups.className = `groups tiles-${this.#size.value}`;
        this.#update();
        requestAnimationFrame(() => this.#showTiles());
    }

    #update() {
        const { cameras } = this.session.rig;
        this.#arrange(cameras);
        for (const entry of cameras) this.#tiles.get(entry.device.id).entry = entry;
        setText(this.#summary, cameras.length === 0 && this.session.rig.status
            ? 'No camera has joined the rig.' : runningText(cameras, 'camera'));
    }

    /** Rebuilds the groups if cameras or groups have changed, and keeps the tiles. */
    #arrange(cameras) {
        const groups = Map.groupBy(cameras, (entry) => groupName(entry, this.#grouping.value));
        const layout = JSON.stringify([...groups].map(([name, members]) => [name, members.map(({ device }) => device.id)]));
        if (layout === this.#layout) return;
        this.#layout = layout;
        const present = new Set(cameras.map(({ device }) => device.id));
        for (const id of this.#tiles.keys()) if (!present.has(id)) this.#tiles.delete(id);
        this.observer.disconnect();
        this.#groups.replaceChildren(...[...groups].sort(([a], [b]) => a.localeCompare(b)).map(([name, members]) =>
            make('section', {}, make('h2', { dir: 'auto', text: name }),
                make('div', { class: 'tiles' }, members.map((entry) => this.#tile(entry))))));
        for (const tile of this.#tiles.values()) this.observer.observe(tile);
    }

    #tile(entry) {
        const known = this.#tiles.get(entry.device.id);
        if (known) return known;
        const tile = document.createElement('caprig-tile');
        tile.session = this.session;
        tile.entry = entry;
        this.#tiles.set(entry.device.id, tile);
        return tile;
    }

    #seen(entries) {
        for (const { target, isIntersecting } of entries) {
            if (isIntersecting) this.#inside.add(target);
            else this.#inside.delete(target);
        }
        this.#showTiles();
    }

    /** Hidden pages, tiles outside the window and tiles behind the large view need no pictures. */
    #showTiles() {
        const isVisible = document.visibilityState === 'visible' && !this.#dialog?.isOpen;
        for (const tile of this.#tiles.values()) tile.show(isVisible && this.#inside.has(tile));
    }

    #tick() {
        if (document.visibilityState !== 'visible') return;
        for (const tile of this.#tiles.values()) if (this.#inside.has(tile)) tile.refresh();
    }

    #openCamera(id) {
        if (this.#dialog?.isOpen) return;
        this.#dialog = document.createElement('caprig-camera');
        Object.assign(this.#dialog, { session: this.session, device: id });
        this.#dialog.addEventListener('closed', () => {
            this.#dialog = undefined;
            this.#showTiles();
        });
        document.body.append(this.#dialog);
        this.#showTiles();
    }
}

customElements.define('caprig-rig', RigView);
