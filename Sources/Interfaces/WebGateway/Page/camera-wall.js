// The wall: a tile for each camera, as large as the window lets all of them be, or in groups.

import './camera-dialog.js';
import './camera-tile.js';
import './first-run.js';
import { field, icon, make, menu, picker } from './elements.js';
import { bestGrid } from './wall-grid.js';

const choices = {
    grouping: ['Group by', [['none', 'nothing'], ['node', 'node'], ['label', 'label'], ['position', 'position']]],
    tiles: ['Tiles', [['fit', 'fit the window'], ['small', 'small'], ['medium', 'medium'], ['large', 'large']]],
    gravity: ['Pictures', [['aspect', 'whole'], ['aspectFill', 'filling'], ['resize', 'stretched']]],
};
/** CSS pixels. */
const widths = { small: 160, medium: 288, large: 480 };

function chooser(name, changed) {
    const [label, options] = choices[name];
    const kept = localStorage.getItem(`caprig.${name}`);
    const select = picker(options, options.some(([option]) => option === kept) ? kept : options[0][0], { change: changed });
    return { select, element: field(label, select) };
}

function groupName({ device }, grouping) {
    switch (grouping) {
    case 'none': return '';
    case 'label': return device.labels?.length ? device.labels.join(', ') : 'no label';
    case 'position': return device.position ?? 'unspecified';
    default: return device.id.split('/')[0];
    }
}

/** The shape that most cameras have. */
function commonAspect(cameras) {
    const shapes = cameras.map(({ condition: { format } }) => (format?.height ? format.width / format.height : 16 / 9));
    const counts = Map.groupBy(shapes, (shape) => shape.toFixed(2));
    return Number([...counts].sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? 16 / 9);
}

/** Set `session` and `selection` before it is connected. `menu` is the menu with what it shows. */
class CameraWall extends HTMLElement {
    #choices = Object.fromEntries(Object.keys(choices).map((name) => [name, chooser(name, () => this.#choose())]));
    menu = menu([icon('view'), make('span', { text: 'View' })], ...Object.values(this.#choices).map(({ element }) => element));
    #tiles = new Map();
    #layout = '';
    #inside = new WeakSet();
    #groups = make('div', { class: 'groups' });
    #nothing = make('div', { class: 'empty', hidden: true });
    #dialog;
    #end;

    connectedCallback() {
        this.append(this.#nothing, this.#groups);
        this.#end = new AbortController();
        const { signal } = this.#end;
        this.observer = new IntersectionObserver((entries) => this.#seen(entries), { root: this, rootMargin: '64px' });
        this.resizes = new ResizeObserver(() => this.#fit());
        this.resizes.observe(this);
        this.session.rig.addEventListener('rig', () => this.#update(), { signal });
        this.selection.addEventListener('change', () => this.#update(), { signal });
        document.addEventListener('visibilitychange', () => this.#showTiles(), { signal });
        document.addEventListener('fullscreenchange', () => this.#showTiles(), { signal });
        this.addEventListener('open-camera', (event) => this.#openCamera(event.detail));
        this.ticker = setInterval(() => this.#tick(), 250);
        this.#choose();
    }

    disconnectedCallback() {
        this.#end.abort();
        this.observer.disconnect();
        this.resizes.disconnect();
        clearInterval(this.ticker);
        this.#dialog?.remove();
    }

    #chosen(name) { return this.#choices[name].select.value; }

    #choose() {
        for (const name of Object.keys(choices)) localStorage.setItem(`caprig.${name}`, this.#chosen(name));
        document.body.dataset.gravity = this.#chosen('gravity');
        this.#update();
        this.#fit();
    }

    #update() {
        const { cameras, status } = this.session.rig;
        this.#arrange(cameras);
        cameras.forEach((entry, index) => Object.assign(this.#tiles.get(entry.device.id), {
            number: index + 1, entry, isSelected: this.selection.isExplicit && this.selection.has(entry.device.id),
        }));
        this.#nothing.hidden = cameras.length > 0 || !status;
        if (this.#nothing.hidden) this.#nothing.replaceChildren();
        else if (!this.#nothing.firstChild) this.#nothing.append(Object.assign(document.createElement('caprig-first-run'), { session: this.session }));
    }

    /** Rebuilds the groups if cameras or groups have changed, and keeps the tiles. */
    #arrange(cameras) {
        const groups = Map.groupBy(cameras, (entry) => groupName(entry, this.#chosen('grouping')));
        const layout = JSON.stringify([...groups].map(([name, members]) => [name, members.map(({ device }) => device.id)]));
        if (layout === this.#layout) return;
        this.#layout = layout;
        const present = new Set(cameras.map(({ device }) => device.id));
        for (const id of this.#tiles.keys()) if (!present.has(id)) this.#tiles.delete(id);
        this.observer.disconnect();
        this.#groups.replaceChildren(...[...groups].sort(([a], [b]) => a.localeCompare(b)).map(([name, members]) =>
            make('section', {}, name && make('h2', { dir: 'auto', text: name }),
                make('div', { class: 'tiles' }, members.map((entry) => this.#tile(entry))))));
        for (const tile of this.#tiles.values()) this.observer.observe(tile);
        this.#fit();
    }

    #tile(entry) {
        const known = this.#tiles.get(entry.device.id);
        if (known) return known;
        const tile = Object.assign(document.createElement('caprig-tile'), { session: this.session, selection: this.selection, entry });
        this.#tiles.set(entry.device.id, tile);
        return tile;
    }

    /** Gives all tiles one size. */
    #fit() {
        const { cameras } = this.session.rig;
        const box = { count: cameras.length, width: this.clientWidth - 12, height: this.clientHeight - 12, aspect: commonAspect(cameras) };
        const isFitted = this.#chosen('tiles') === 'fit';
        const width = isFitted ? bestGrid(box).width : Math.min(widths[this.#chosen('tiles')], box.width);
        this.style.setProperty('--tile', `${Math.max(1, width)}px`);
        this.style.setProperty('--columns', isFitted && this.#chosen('grouping') === 'none' ? bestGrid(box).columns : 'auto-fill');
        this.style.setProperty('--aspect', box.aspect);
        requestAnimationFrame(() => this.#showTiles());
    }

    #seen(entries) {
        for (const { target, isIntersecting } of entries) {
            if (isIntersecting) this.#inside.add(target);
            else this.#inside.delete(target);
        }
        this.#showTiles();
    }

    /** Hidden pages, tiles outside the window and tiles behind a larger picture need no pictures. */
    #showTiles() {
        const isVisible = document.visibilityState === 'visible' && !this.#dialog?.isOpen;
        const whole = document.fullscreenElement;
        for (const tile of this.#tiles.values()) tile.show(isVisible && (whole ? whole.contains(tile) : this.#inside.has(tile)));
    }

    /** Lays marks over the picture of a camera; without a camera, over none. */
    mark(device, marks) {
        for (const [id, tile] of this.#tiles) tile.mark(id === device ? marks : undefined);
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

    /** Shows the tile under the pointer or with the focus on the whole screen, or else all tiles; or ends that. */
    toggleFullScreen() {
        if (document.fullscreenElement) return document.exitFullscreen();
        const tile = this.querySelector('caprig-tile:hover') ?? document.activeElement.closest('caprig-tile');
        return (tile?.article ?? this).requestFullscreen().catch(() => {});
    }
}

customElements.define('caprig-wall', CameraWall);
