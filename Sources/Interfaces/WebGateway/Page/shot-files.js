// The files of a shot, folded: each with its outcome, its download, and the shot's manifest.

import { badge, describeOutcome } from './conditions.js';
import { foreignText, make, setText } from './elements.js';
import { MovieDownloads } from './movie-downloads.js';
import { byteText, counted } from './quantities.js';

function fileItem(file, gateway, downloads) {
    const item = make('li', {}, make('span', { class: 'kind', text: file.kind }), ' ', badge(describeOutcome(file.outcome)));
    if (file.path) {
        const name = file.name.split('/').at(-1);
        item.append(' ', make('a', {
            href: gateway.url(file.path), download: name, text: name, 'aria-label': `Download ${file.name}`,
        }), ` ${byteText(file.byteCount)}`);
    }
    if (file.mp4) item.append(' ', downloads.button(file));
    if (file.problem) item.append(foreignText(file.problem, 'p', { class: 'problem' }));
    return item;
}

/** The stored files of a shot: `device`, and those of a file. */
export function storedFiles({ captures }) {
    return captures.flatMap(({ device, files }) => files.filter(({ path }) => path).map((file) => ({ device, ...file })));
}

/** How many files are stored, and how large they are. */
export function storedText(files) {
    const bytes = files.reduce((sum, { byteCount }) => sum + (byteCount ?? 0n), 0n);
    return `${counted(files.length, 'file')}, ${byteText(bytes)}`;
}

/** `element`, which has further parts below the files. */
export class ShotFiles {
    #gateway;
    #summary = make('summary');
    #lists = make('div', { class: 'cards' });
    #manifest = make('a', { text: 'Manifest' });
    #downloads;
    #shown;
    #hasOpened = false;
    element;

    constructor(gateway, ...further) {
        this.#gateway = gateway;
        this.#downloads = new MovieDownloads(gateway);
        this.element = make('details', { class: 'fold' }, this.#summary, this.#lists, this.#downloads.element,
            make('p', {}, this.#manifest, make('span', { class: 'note', text: ' The description of the whole shot, as it is stored.' })), ...further);
    }

    update(shot) {
        const { captures, id, isTake } = shot;
        setText(this.#summary, `Files, downloads and manifest: ${storedText(storedFiles(shot))}`);
        this.#manifest.href = this.#gateway.url(`shots/${encodeURIComponent(id)}/manifest`);
        this.#manifest.download = isTake ? 'take.json' : 'shot.json';
        const shown = JSON.stringify(captures, (_, value) => (typeof value === 'bigint' ? String(value) : value));
        if (shown === this.#shown) return;
        this.#shown = shown;
        const label = this.#lists.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : undefined;
        this.#lists.replaceChildren(...captures.filter(({ files }) => files.length).map(({ device, files }) => make('section', { class: 'card' },
            make('h3', { dir: 'auto', text: device }), make('ul', { class: 'files' }, files.map((file) => fileItem(file, this.#gateway, this.#downloads))))));
        if (label) [...this.#lists.querySelectorAll('a, button')].find((control) => control.getAttribute('aria-label') === label)?.focus();
        this.#downloads.element.hidden = !captures.some(({ files }) => files.some(({ mp4 }) => mp4));
        // What is wrong with a file is seen at once.
        if (this.#hasOpened || !captures.some(({ files }) => files.some(({ problem }) => problem))) return;
        this.#hasOpened = true;
        this.element.open = true;
    }
}
