// The dialog that downloads shots and takes as one archive.

import { choice, freshID, make, setText } from './elements.js';
import { Problem } from './gateway.js';
import { byteText, counted, countedShots } from './quantities.js';

/** The most shots of one archive. */
const exportLimit = 100;
/** Bytes: a longer archive goes straight to the disk. */
const longestHere = 256 << 20;

/** `takes`: whether it is for takes alone or for shots alone. `example` is a file of a camera in a shot. */
const layouts = [
    { name: 'by-shot', label: 'A folder for each shot', example: 'SHOT/CAMERA/photo.jpg' },
    { name: 'by-camera', label: 'A folder for each camera', example: 'CAMERA/SHOT.photo.jpg' },
    { name: 'colmap', label: 'COLMAP', takes: false, example: 'images/CAMERA/SHOT.photo.jpg' },
    { name: 'realitycapture', label: 'RealityCapture', takes: false, example: 'SHOT.CAMERA.photo.jpg' },
    { name: 'timeline', label: 'A timeline for editing programs', takes: true, example: 'SHOT.fcpxml' },
];

/**
 * A bar that says how many are selected, and opens the dialog. `selected()` returns ids; `isTake` says of an id whether it is a take's, or
 * `isOfTakes` of all. `update()` is to be called when the selection has changed. Buttons in `actions` come after that of the export.
 */
export class ExportForm {
    #session;
    #selected;
    #isTake;
    #open = make('button', { type: 'button', class: 'primary', text: 'Export …', click: () => this.#show() });
    #reason = make('p', { class: 'note', role: 'status' });

    constructor(session, { isOfTakes, isTake = () => isOfTakes, selected, actions = [] }) {
        this.#session = session;
        this.#selected = selected;
        this.#isTake = isTake;
        this.element = make('div', { class: 'toolbar export' }, this.#reason, this.#open, ...actions);
        this.update();
    }

    update() {
        this.#open.disabled = this.#selected().length > exportLimit;
        setText(this.#reason, `${this.#text} selected${this.#open.disabled ? `; one archive has at most ${exportLimit}` : ''}.`);
    }

    get #text() {
        const ids = this.#selected();
        return countedShots(ids.length, ids.filter(this.#isTake).length);
    }

    #show() {
        const ids = this.#selected();
        const dialog = new ExportDialog(this.#session, ids, this.#text, ids.filter(this.#isTake).length);
        dialog.element.addEventListener('close', () => this.#open.focus());
    }
}

/** The dialog for some shots: the layout, how much it is, progress, and what has become of it. */
class ExportDialog {
    #gateway;
    #ids;
    #text;
    #size = make('p', { role: 'status', dir: 'auto' });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #progress = make('progress', { 'aria-label': 'Download', hidden: true });
    #figures = make('p', { class: 'figures' });
    #start = make('button', { type: 'submit', class: 'primary', text: 'Export', disabled: true });
    #close = make('button', { type: 'button', text: 'Cancel', click: () => this.element.close() });
    #layouts = make('fieldset', {}, make('legend', { text: 'Layout of the archive' }));
    #form;
    /** Of the archive, as the gateway has said. */
    #byteCount;
    #name;
    #end = new AbortController();

    constructor({ gateway, rig }, ids, text, takes) {
        this.#gateway = gateway;
        this.#ids = ids;
        this.#text = text;
        const head = make('h2', { id: freshID('export'), text: `Export ${text}` });
        const camera = (rig.cameras[0]?.device.id ?? 'node1/cam1').replace('/', '.');
        this.#layouts.append(...layouts.map((layout) => this.#choice(layout, ids[0], camera, takes)));
        this.#form = make('form', { submit: (event) => this.#export(event), change: () => this.#ask() }, head, this.#layouts, this.#size,
            this.#progress, this.#figures, this.#answer, make('div', { class: 'toolbar' }, this.#start, this.#close));
        this.element = make('dialog', { class: 'question', 'aria-labelledby': head.id }, this.#form);
        this.element.addEventListener('close', () => {
            this.#end.abort();
            this.element.remove();
        });
        document.body.append(this.element);
        this.element.showModal();
        this.#ask();
    }

    #choice({ name, label, takes, example }, shot, camera, count) {
        const isPossible = takes === undefined || count === (takes ? this.#ids.length : 0);
        const note = isPossible ? example.replace('SHOT', shot).replace('CAMERA', camera) : takes ? 'only for takes' : 'only for shots';
        return choice(label, { type: 'radio', name: 'layout', value: name, checked: name === layouts[0].name, disabled: !isPossible }, note).row;
    }

    get #path() {
        return `export?${new URLSearchParams([...this.#ids.map((id) => ['shot', id]), ['layout', new FormData(this.#form).get('layout')]])}`;
    }

    /** Asks what the chosen layout has, since a browser does not say why a download has failed. */
    async #ask() {
        const path = this.#path;
        this.#start.disabled = true;
        setText(this.#answer, '');
        setText(this.#size, 'Asking the rig …');
        try {
            const headers = await this.#gateway.probe(path);
            if (path !== this.#path) return;
            this.#byteCount = Number(headers.get('Content-Length'));
            this.#name = /filename="([^"]+)"/.exec(headers.get('Content-Disposition'))?.[1];
            setText(this.#size, `${this.#text}, ${counted(Number(headers.get('Caprig-Files')), 'file')}, ${byteText(this.#byteCount)}`);
            this.#start.disabled = false;
        } catch (problem) {
            if (path === this.#path) setText(this.#size, problem.message);
        }
    }

    async #export(event) {
        event.preventDefault();
        const path = this.#path;
        this.#start.disabled = this.#layouts.disabled = true;
        try {
            const done = await (this.#byteCount > longestHere ? this.#store(path) : this.#fetch(path));
            setText(this.#answer, done && `${done} Its export.json says what became of every file.`);
            setText(this.#close, done ? 'Close' : 'Cancel');
            this.#start.disabled = done !== '';
        } catch (problem) {
            setText(this.#answer, problem.message);
            this.#start.disabled = false;
        }
        this.#progress.hidden = true;
        setText(this.#figures, '');
        this.#layouts.disabled = false;
        this.#close.focus();
    }

    /** Gives a download to the browser. */
    #save(href) {
        const link = make('a', { href, download: this.#name, hidden: true });
        this.#form.append(link);
        link.click();
        link.remove();
    }

    /** Reads an archive, and shows how far it is. `keep` gets each part, in order. */
    async #read(path, keep) {
        let count = 0;
        const tell = () => {
            this.#progress.value = count;
            setText(this.#figures, `${byteText(count)} of ${byteText(this.#byteCount)}`);
        };
        Object.assign(this.#progress, { hidden: false, max: this.#byteCount });
        tell();
        for await (const part of this.#gateway.parts(path, this.#end.signal)) {
            await keep(part);
            count += part.length;
            tell();
        }
    }

    /** Writes an archive to a file that the person chooses. A browser that cannot do that downloads it, and shows how far it is. Returns '' if none is chosen. */
    async #store(path) {
        let file;
        try {
            const place = await window.showSaveFilePicker({ suggestedName: this.#name });
            file = await place.createWritable();
        } catch (reason) {
            if (reason.name === 'AbortError') return '';
            this.#save(this.#gateway.url(path));
            return 'The download has begun; the browser shows how far it is.';
        }
        try {
            await this.#read(path, (part) => file.write(part));
            await file.close();
        } catch (reason) {
            await file.abort().catch(() => {});
            throw reason instanceof Problem ? reason : new Problem(`The archive cannot be written: ${reason.message} Check the free space there, or choose another folder.`);
        }
        return `${this.#name} is stored.`;
    }

    async #fetch(path) {
        const parts = [];
        await this.#read(path, (part) => parts.push(part));
        const url = URL.createObjectURL(new Blob(parts, { type: 'application/zip' }));
        this.#save(url);
        setTimeout(() => URL.revokeObjectURL(url), 60000);
        return `${this.#name} is downloaded.`;
    }
}
