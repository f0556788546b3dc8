// The player of a shot's clips or a take's movies: all cameras in step, by the times at which their frames were exposed.

import { BlockCache } from './block-cache.js';
import { choice, field, foreignText, make, picker, setText } from './elements.js';
import { FramePane } from './frame-pane.js';
import { Playback } from './playback.js';
import { PlayerBar } from './player-bar.js';
import { timeText } from './player-pane.js';
import { counted, durationText } from './quantities.js';
import { ReelLoader } from './reel-loader.js';
import { VideoPane } from './video-pane.js';

/** Cameras that are shown at first. */
const shownAtFirst = 6;
const speeds = [['0.1', '1/10'], ['0.25', '1/4'], ['0.5', '1/2'], ['1', '1'], ['2', '2']];
const keys = 'Keys: Space plays and pauses, ← and → step one frame, Page Up and Page Down one second, Home and End go to the ends.';

/** Set `session` before it is connected; then `update` it with what `readMovies` has read of the document. */
class ClipPlayer extends HTMLElement {
    playback = new Playback();
    #blocks;
    /** The files of each camera, by device. */
    #loaders = new Map();
    #hidden = new Set();
    #marks = [];
    #resumesAfterDrag = false;
    #end = new AbortController();
    #heading = make('h2', { text: 'Play', tabindex: '-1' });
    #stage = make('div', { class: 'panes' });
    #bar = new PlayerBar();
    #play = make('button', { type: 'button', class: 'primary', text: 'Play', click: () => this.#toggle() });
    #speed = picker(speeds, '1', { change: () => this.#choose() });
    #sound = picker([['', 'none']], '', { change: () => this.#choose() });
    #note = make('p', { role: 'status', class: 'note', dir: 'auto' });
    #told = make('p', { role: 'status', class: 'note', dir: 'auto' });
    #cameras = make('fieldset', { hidden: true }, make('legend', { text: 'Cameras shown' }));
    #problems = make('ul', { class: 'files' });

    connectedCallback() {
        this.#blocks = new BlockCache(this.session.gateway);
        const button = (text, label, direction) => make('button', {
            type: 'button', text, 'aria-label': label, click: () => this.playback.step(direction),
        });
        this.append(this.#heading, this.#stage, this.#bar.element,
            make('div', { class: 'toolbar' }, button('◂|', 'One frame back', -1), this.#play, button('|▸', 'One frame on', 1),
                field('Speed', this.#speed), field('Sound', this.#sound)),
            this.#told, this.#note, this.#bar.marks, this.#problems, this.#cameras, make('p', { class: 'note', text: keys }));
        const { signal } = this.#end;
        this.addEventListener('keydown', (event) => this.#press(event), { signal });
        document.addEventListener('visibilitychange', () => document.hidden && this.playback.pause(), { signal });
        addEventListener('resize', () => this.playback.refresh(), { signal });
        this.playback.addEventListener('change', () => this.#show());
        this.playback.addEventListener('note', ({ detail }) => setText(this.#note, detail));
        this.#bar.addEventListener('drag', ({ detail }) => this.#drag(detail));
        this.#bar.addEventListener('drop', () => this.#drop());
        this.#bar.addEventListener('jump', ({ detail }) => this.playback.seek(detail));
    }

    disconnectedCallback() {
        this.#end.abort();
        this.playback.close();
        this.#blocks.close();
    }

    /** Takes a newer document: files may have been stored since. */
    update({ cameras, marks, isTake }) {
        this.#marks = marks.map(({ time, text }) => ({ time, text: `${timeText(time)}: ${text}` }));
        if (!isTake) this.#marks.push({ time: 0, text: 'T, the still' });
        for (const camera of cameras) {
            const known = this.#loaders.get(camera.device);
            if (known) known.update(camera);
            else this.#add(camera);
        }
        this.#load();
    }

    /** Reads the files of the cameras that are shown: a take may have thousands. */
    #load() {
        for (const loader of this.#shownLoaders) loader.load();
        this.#extend();
    }

    get #shownLoaders() { return [...this.#loaders.values()].filter(({ reel }) => !this.#hidden.has(reel.device)); }

    focusHeading() {
        this.#heading.scrollIntoView();
        this.#heading.focus();
    }

    /** What each camera shows: `device`, `file` (its number), `frame` (from 0), `time`; only the device if it shows no picture. */
    get frames() {
        return [...this.playback.panes].map(([device, { shown }]) => (
            shown ? { device, file: shown.segment.number, frame: shown.index, time: shown.time } : { device }));
    }

    #add(camera) {
        const { device } = camera;
        this.#loaders.set(device, new ReelLoader(this.#blocks, camera, () => this.#extend()));
        const isShown = this.#loaders.size <= shownAtFirst;
        if (!isShown) this.#hidden.add(device);
        this.#cameras.append(choice(device, { checked: isShown, change: ({ target }) => this.#select(device, target.checked) }).row);
        this.#cameras.hidden = this.#loaders.size < 2;
    }

    #select(device, isShown) {
        const pane = this.playback.panes.get(device);
        if (isShown) {
            this.#hidden.delete(device);
        } else {
            this.#hidden.add(device);
            pane?.close();
            pane?.element.remove();
            this.playback.panes.delete(device);
        }
        this.#load();
    }

    /** Brings everything up to what was read of the files. */
    #extend() {
        const reels = this.#shownLoaders.map(({ reel }) => reel).filter(({ segments }) => segments.length > 0);
        if (reels.length > 0) {
            this.playback.setRange(Math.min(...reels.map(({ begin }) => begin)), Math.max(...reels.map(({ end }) => end)));
        }
        // A map keeps the order of insertion, and files are read in any order: the panes are put into the order of the document.
        const panes = reels.map((reel) => [reel.device, this.#pane(reel)]);
        this.playback.panes = new Map(panes);
        panes.forEach(([, { element }], index) => {
            if (this.#stage.children[index] !== element) this.#stage.insertBefore(element, this.#stage.children[index] ?? null);
        });
        this.#bar.show(this.playback.begin, this.playback.end, this.#marks);
        this.#offerSound(reels.filter(({ sound }) => sound && !sound.problem).map(({ device }) => device));
        this.#showProblems();
        this.playback.refresh();
    }

    #pane(reel) {
        const known = this.playback.panes.get(reel.device);
        if (known) return known;
        const changed = () => this.playback.refresh();
        return reel.codec === 'h264'
            ? new VideoPane(reel, changed, this.session.gateway.url(reel.segments[0].file.path)) : new FramePane(reel, changed);
    }

    /** Files that are not there or cannot be played, each with the reason. */
    #showProblems() {
        const loaders = [...this.#loaders.values()];
        this.#problems.replaceChildren(...loaders.flatMap(({ camera, problems }) => [...problems].map(([kind, text]) =>
            make('li', {}, foreignText(`${camera.device}, ${kind}: ${text}`, 'p', { class: 'problem' })))));
        const files = loaders.flatMap(({ camera }) => camera.files);
        const missing = files.filter(({ isStored, reason }) => !isStored && !reason).length;
        const unread = this.#shownLoaders.some(({ waiting }) => waiting.length > 0);
        setText(this.#told, [
            missing ? `${counted(missing, 'file')} not stored yet.` : '', unread ? 'Reading …' : '',
            !missing && !unread && this.playback.panes.size === 0 ? 'Nothing can be played.' : '',
        ].filter(Boolean).join(' '));
    }

    #offerSound(devices) {
        const offered = [...this.#sound.options].map(({ value }) => value).filter(Boolean);
        if (devices.join() !== offered.join()) {
            const chosen = offered.length === 0 ? devices[0] : this.#sound.value;
            this.#sound.replaceChildren(...['', ...devices].map((value) => make('option', { value, text: value || 'none' })));
            this.#sound.value = devices.includes(chosen) ? chosen : '';
        }
        this.#hear();
    }

    /** The sound of H.264 clips is the browser's. */
    #hear() {
        this.playback.soundReel = this.#loaders.get(this.#sound.value)?.reel;
        for (const [device, pane] of this.playback.panes) pane.isHeard = device === this.#sound.value;
    }

    #choose() {
        this.playback.speed = Number(this.#speed.value);
        this.#hear();
        setText(this.#note, '');
        this.playback.restart();
    }

    #toggle() {
        if (this.playback.state !== 'paused') {
            this.playback.pause();
            return;
        }
        for (const loader of this.#shownLoaders) loader.retry();
        if (this.playback.panes.size > 0) this.playback.play();
    }

    #drag(time) {
        this.#resumesAfterDrag ||= this.playback.state !== 'paused';
        this.playback.pause();
        this.playback.seek(time);
    }

    #drop() {
        if (this.#resumesAfterDrag) this.playback.play();
        this.#resumesAfterDrag = false;
    }

    #press(event) {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.target.closest('select, [type=checkbox]') || (event.key === ' ' && event.target.closest('button'))) return;
        const { playback } = this;
        const act = {
            ' ': () => event.repeat || this.#toggle(), ArrowLeft: () => playback.step(-1), ArrowRight: () => playback.step(1),
            PageUp: () => playback.seek(playback.position - 1), PageDown: () => playback.seek(playback.position + 1),
            Home: () => playback.seek(playback.begin), End: () => playback.seek(playback.end),
        }[event.key];
        if (!act) return;
        event.preventDefault();
        act();
    }

    #show() {
        const { state, position, end } = this.playback;
        setText(this.#play, state === 'paused' ? 'Play' : 'Pause');
        const shown = this.frames.filter(({ time }) => time !== undefined);
        const times = shown.map(({ time }) => time);
        const spread = times.length > 1
            ? ` · pictures within ${durationText(BigInt(Math.round((Math.max(...times) - Math.min(...times)) * 1e9)))}` : '';
        const text = `${timeText(position)} · end ${timeText(end)}${state === 'waiting' ? ' · waiting' : ''}${spread}`;
        const spoken = [timeText(position), ...shown.slice(0, 1).map(({ file, frame }) => `file ${file}, frame ${frame + 1}`)].join(', ');
        this.#bar.setPosition(position, text, spoken);
    }
}

customElements.define('caprig-player', ClipPlayer);
