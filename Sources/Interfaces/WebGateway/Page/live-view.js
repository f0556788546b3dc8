// The view Live: the pictures of all cameras, what triggers them, and the newest shots.

import './camera-exposure.js';
import './camera-settings.js';
import './camera-wall.js';
import './settings-matching.js';
import './settings-profiles.js';
import './settings-undo.js';
import './shot-strip.js';
import './trigger-bar.js';
import { heading, make, setText, takesLetters } from './elements.js';

const titles = { shot: 'What is taken', cameras: 'Camera settings' };
const create = (name) => document.createElement(`caprig-${name}`);

/** Set `session` before it is connected. */
class LiveView extends HTMLElement {
    #wall = create('wall');
    #strip = create('strip');
    #bar = create('trigger-bar');
    #exposure = create('exposure');
    #setters = ['camera-settings', 'settings-matching', 'settings-profiles'].map(create);
    #undo = create('settings-undo');
    #title = make('h2', { tabindex: '-1' });
    #parts = { shot: make('div'), cameras: make('div', {}, this.#exposure, this.#setters[0], this.#undo, this.#setters.slice(1)) };
    #panel = make('aside', { class: 'panel', hidden: true, 'aria-label': 'Settings' },
        make('div', { class: 'head' }, this.#title, make('button', { type: 'button', text: 'Close', click: () => this.#toggle() })),
        Object.values(this.#parts));
    #opened;
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        const { signal } = this.#end;
        const { session } = this;
        const { selection } = this.#bar;
        Object.assign(this.#strip, { session });
        Object.assign(this.#bar, { session, strip: this.#strip });
        Object.assign(this.#wall, { session, selection });
        Object.assign(this.#exposure, { session, wall: this.#wall });
        Object.assign(this.#undo, { session });
        for (const part of this.#setters) Object.assign(part, { session, selection });
        this.#parts.shot.append(this.#bar.settings, ...this.#bar.further);
        const title = heading('Live');
        title.className = 'spoken';
        this.append(title, make('div', { class: 'stage' }, this.#wall, this.#panel), this.#strip, this.#bar);
        this.#bar.addChoice(this.#wall.menu);
        this.#bar.addEventListener('panel', ({ detail }) => this.#toggle(detail === this.#opened ? undefined : detail));
        this.#panel.addEventListener('keydown', (event) => event.key === 'Escape' && this.#toggle());
        this.addEventListener('set-camera', ({ detail }) => this.#setCamera(detail));
        selection.addEventListener('change', () => this.#update());
        session.rig.addEventListener('rig', () => this.#update(), { signal });
        document.addEventListener('keydown', (event) => this.#press(event), { signal });
        this.#update();
    }

    disconnectedCallback() { this.#end.abort(); }

    #update() {
        for (const part of [this.#exposure, ...this.#setters]) part.cameras = this.#bar.selection.selected;
    }

    /** Opens a panel beside the pictures, or closes it. */
    #toggle(name) {
        if (!name) this.#bar.focusPanelButton(this.#opened);
        this.#opened = name;
        this.#bar.panel = name;
        this.#panel.hidden = !name;
        if (!name) {
            this.#update();
            return;
        }
        for (const [each, part] of Object.entries(this.#parts)) part.hidden = each !== name;
        setText(this.#title, titles[name]);
        this.#update();
        this.#undo.refresh();
        this.#title.focus();
    }

    /** Opens the settings of one camera. */
    #setCamera(id) {
        this.#bar.selection.only(id);
        this.#toggle('cameras');
    }

    #press(event) {
        const isPlain = !event.repeat && !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
        if (!isPlain || !this.#bar.hasShortcuts || takesLetters(event.target) || document.querySelector('dialog[open], :popover-open')) return;
        const camera = /^[1-9]$/.test(event.key) && this.session.rig.cameras[Number(event.key) - 1];
        if (camera) this.#bar.selection.toggle(camera.device.id);
        else if (event.key.toLowerCase() === 'f') this.#wall.toggleFullScreen();
    }
}

customElements.define('caprig-live', LiveView);
