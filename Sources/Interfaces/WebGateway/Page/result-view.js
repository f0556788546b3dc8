// The view Result: the pictures of one shot, one of them large, as their outcomes arrive.

import './annotation-form.js';
import './clip-player.js';
import { Badge, describeOutcome } from './conditions.js';
import { CaptureCard } from './capture-card.js';
import { picturesOf } from './comparison-dialog.js';
import { foreignText, heading, make, setText, takesLetters } from './elements.js';
import { ExportForm } from './export-form.js';
import { readMovies } from './movie-listing.js';
import { PictureJudge } from './picture-judge.js';
import { PictureStage } from './picture-stage.js';
import { durationText, instantText } from './quantities.js';
import { RejectMarks } from './reject-marks.js';
import { deleteShot } from './shot-deletion.js';
import { readShot } from './shot-document.js';
import { ShotFiles } from './shot-files.js';
import { neighborsOf } from './shot-neighbors.js';
import { skewChart } from './skew-chart.js';
import { verification } from './verification.js';

const pause = 200;
/** A shot is unknown until its first manifest is durable. */
const unknownFor = 12000;

/** Set `session` and `argument`, the id of the shot, before it is connected. */
class ResultView extends HTMLElement {
    #badge = new Badge(describeOutcome('pending'));
    #summary = make('p', { role: 'status', dir: 'auto' });
    #facts = make('dl', { class: 'facts' });
    /** The camera whose picture is large; it stays so in the next shot. */
    static #chosen;
    #picture;
    #cards = make('div', { class: 'captures', role: 'group', tabindex: '0', 'aria-label': 'Cameras' });
    #faults = new Map();
    #compare = make('button', { type: 'button', text: 'Compare', click: () => this.#enlarge('two') });
    #files;
    #delete = make('button', { type: 'button', class: 'danger', text: 'Delete', hidden: true, click: () => this.#askToDelete() });
    #before = this.#step('←', 'Older: Left arrow', 'before');
    #after = this.#step('→', 'Newer: Right arrow', 'after');
    #neighbors;
    #chart = make('div');
    #playing = make('section', { hidden: true });
    #player;
    #judge;
    #judged = '';
    #exporting = make('section', { hidden: true }, make('h3', { text: 'Export' }));
    #export;
    #annotation = document.createElement('caprig-annotation');
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #marks;
    #byDevice = new Map();
    #large;
    #begun = performance.now();
    #timer;
    #isAsking = false;
    #isStale = false;
    #shot;
    #end;

    connectedCallback() {
        const shot = this.argument;
        this.#end = new AbortController();
        const { signal } = this.#end;
        Object.assign(this.#annotation, { session: this.session, shot });
        this.#marks = new RejectMarks(this.session.gateway, shot);
        this.#marks.addEventListener('problem', ({ detail }) => setText(this.#answer, detail));
        this.#marks.addEventListener('stored', () => this.#ask());
        this.heading = heading('Result');
        const { gateway, rig } = this.session;
        this.#picture = new PictureStage(gateway, () => this.#enlarge('all'));
        this.#picture.actions.append(this.#compare);
        this.#picture.element.hidden = true;
        this.#files = new ShotFiles(gateway, make('h3', { text: 'Stored files' }), verification(this.session, shot, 'this shot'), this.#exporting);
        this.append(make('div', { class: 'finder' }, this.#before, this.#after, this.heading, this.#badge.element, this.#delete, this.#summary),
            this.#answer, this.#picture.element, this.#cards,
            make('div', { class: 'about-shot' },
                make('section', {}, make('h2', { text: 'Timing' }), this.#chart, this.#facts),
                make('section', {}, make('h2', { text: 'Title and note' }), this.#annotation)),
            this.#playing,
            this.#files.element);
        document.addEventListener('keydown', (event) => this.#press(event), { signal });
        rig.addEventListener('event', (event) => event.detail.shot === shot && this.#schedule(), { signal });
        rig.addEventListener('progress', (event) => event.detail.shot === shot && this.#schedule(), { signal });
        // Events may have been missed.
        rig.addEventListener('freshness', () => !rig.isOld && this.#schedule(), { signal });
        this.#annotation.addEventListener('changed', () => this.#ask());
        this.#ask();
    }

    disconnectedCallback() {
        this.#end.abort();
        clearTimeout(this.#timer);
    }

    /** A link to the shot before or after this one, once that is known. */
    #step(text, title, which) {
        return make('a', { class: 'step', text, title, 'aria-label': title.split(':')[0], 'data-step': which });
    }

    async #findNeighbors(document) {
        if (this.#neighbors) return;
        this.#neighbors = {};
        try {
            this.#neighbors = await neighborsOf(this.session.gateway, document);
        } catch {
            // The library lists all of them.
        }
        for (const link of [this.#before, this.#after]) {
            const id = this.#neighbors[link.dataset.step];
            if (id) link.href = `#shot/${id}`;
        }
    }

    #press(event) {
        const link = { ArrowLeft: this.#before, ArrowRight: this.#after }[event.key];
        const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.repeat;
        const camera = isPlain && /^[1-9]$/.test(event.key) && this.#shot?.captures[Number(event.key) - 1];
        if (camera && !takesLetters(event.target) && !document.querySelector('dialog[open]')) this.#choose(camera.device);
        const isOther = event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.('caprig-player, input, select, [role=group]');
        if (!link?.href || isOther || takesLetters(event.target) || document.querySelector('dialog[open]')) return;
        event.preventDefault();
        link.click();
    }

    /** Asks soon, once for many events. */
    #schedule(delay = pause) {
        this.#isStale = true;
        if (this.#timer || this.#isAsking) return;
        this.#timer = setTimeout(() => this.#ask(), delay);
    }

    async #ask() {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        if (this.#isAsking) {
            this.#isStale = true;
            return;
        }
        this.#isAsking = true;
        this.#isStale = false;
        let delay = pause;
        try {
            const { document, tag } = await this.session.gateway.exchange('GET', `shots/${encodeURIComponent(this.argument)}`);
            if (!this.isConnected) return;
            const shot = readShot(document);
            // As on the wall.
            shot.captures.sort((a, b) => a.device.localeCompare(b.device, undefined, { numeric: true }));
            this.#show({ ...shot, tag }, readMovies(document));
            this.#findNeighbors(document);
        } catch (problem) {
            delay = this.#fail(problem) ?? delay;
        }
        this.#isAsking = false;
        if (this.#isStale && this.isConnected) this.#schedule(delay);
    }

    /** Shows a failure; returns the delay after which to ask again, if that may help. */
    #fail(problem) {
        if (this.#shot) {
            setText(this.#summary, problem.message);
            return undefined;
        }
        const isEarly = problem.status === 404 && performance.now() - this.#begun < unknownFor;
        setText(this.#summary, isEarly ? 'The rig has not stored this shot yet …' : problem.message);
        if (!isEarly) return undefined;
        this.#isStale = true;
        return 500;
    }

    #show(shot, movies) {
        // An answer may be overtaken by the next one.
        if (this.#shot?.revision !== undefined && shot.revision < this.#shot.revision) return;
        this.#shot = shot;
        setText(this.heading, shot.title || (shot.isTake ? 'Take' : 'Result'));
        this.#badge.update(describeOutcome(shot.status));
        setText(this.#summary, this.#summaryText(shot));
        this.#showFacts(shot);
        this.#marks.show(shot.rejected);
        for (const capture of shot.captures) this.#card(capture.device).update(capture);
        this.#showChosen();
        this.#files.update(shot);
        this.#delete.hidden = !this.session.rig.may('configure');
        this.#delete.disabled = shot.isOpen;
        setText(this.#delete, shot.isTake ? 'Delete take' : 'Delete shot');
        this.#chart.replaceChildren(skewChart(shot.captures));
        this.#annotation.show(shot);
        this.#offerExport(shot);
        this.#play(movies);
        this.#judgePictures(shot);
    }

    /** Says which pictures look black, frozen or soft, once for the same pictures. */
    async #judgePictures({ captures, isTake }) {
        const pictures = captures.map(({ picture }) => picture).join();
        if (isTake || pictures === this.#judged) return;
        this.#judged = pictures;
        this.#judge ??= new PictureJudge(this.session.gateway, this.argument);
        const faults = await this.#judge.judge(captures);
        for (const [device, found] of faults ?? []) {
            this.#card(device).showFaults(found);
            this.#faults.set(device, found);
        }
        if (this.isConnected) this.#showChosen();
    }

    #choose(device) {
        ResultView.#chosen = device;
        this.#showChosen();
    }

    /** Shows the picture of the chosen camera large; of the first with a picture, if this shot has nothing of that one. */
    #showChosen() {
        const { captures } = this.#shot;
        const chosen = captures.find(({ device }) => device === ResultView.#chosen) ?? captures.find(({ picture }) => picture) ?? captures[0];
        this.#picture.element.hidden = !chosen;
        if (!chosen) return;
        this.#picture.show(chosen, this.#faults.get(chosen.device));
        for (const { device } of captures) this.#card(device).isChosen = device === chosen.device;
        this.#compare.hidden = !chosen.largest;
        this.#large = chosen.device;
    }

    /** Shows pictures in full size, that of the chosen camera first. */
    #enlarge(mode) {
        this.append(Object.assign(document.createElement('caprig-comparison'), {
            gateway: this.session.gateway, shot: this.argument, pictures: picturesOf(this.#shot), chosen: this.#large, mode, near: this.#neighbors?.near ?? [],
        }));
    }

    /** Deletes the shot if the person agrees, and goes on to the next one. */
    async #askToDelete() {
        setText(this.#answer, '');
        try {
            if (!await deleteShot(this.session.gateway, this.#shot)) return;
            const next = this.#neighbors?.after ?? this.#neighbors?.before;
            location.replace(next ? `#shot/${next}` : '#library');
        } catch (problem) {
            setText(this.#answer, problem.text('It is not known whether it was deleted.'));
            if (problem.status === 412) this.#ask();
        }
    }

    /** The player appears with the first clip or movie that is expected. */
    #play(movies) {
        if (movies.cameras.length === 0) return;
        if (!this.#player) {
            this.#player = Object.assign(document.createElement('caprig-player'), { session: this.session });
            // The movies of a take are its pictures.
            if (this.#shot.isTake) this.#picture.element.before(this.#playing);
            this.#playing.append(this.#player);
            this.#playing.hidden = false;
            if (this.filters?.has('play')) this.#player.focusHeading();
        }
        this.#player.update(movies);
    }

    /** Which layouts there are is known with the shot. */
    #offerExport({ isTake }) {
        if (this.#export) return;
        this.#export = new ExportForm(this.session, { isOfTakes: isTake, label: 'Export', selected: () => [this.argument] });
        this.#exporting.append(this.#export.element);
        this.#exporting.hidden = false;
    }

    #summaryText({ counts }) { return counts.map(({ sort, stored, expected }) => `${stored} of ${expected} ${sort}`).join(', '); }

    #showFacts(shot) {
        const facts = [
            ['T', instantText(shot.time)], ['Spread', durationText(shot.spread)],
            ['Worst skew', `${durationText(shot.worstSkew, { signed: true })}, bound ± ${durationText(shot.worstBound)}`],
            ['Drift', shot.drift], ['Triggered by', shot.triggeredBy], ['Id', shot.id],
            ['Left out', shot.notConfigured.join(', ')],
            ...shot.closed.map(({ device, reason }) => ['Left out', `${device}: ${reason}`]), ['Rejected', shot.rejected.join(', ')],
        ];
        this.#facts.replaceChildren(...facts.filter(([, text]) => text)
            .flatMap(([name, text]) => [make('dt', { text: name }), foreignText(text, 'dd')]));
    }

    #card(device) {
        const known = this.#byDevice.get(device);
        if (known) return known;
        const card = new CaptureCard(
            this.session.gateway, device, this.#marks, this.session.rig.may('trigger'), () => this.#choose(device));
        this.#byDevice.set(device, card);
        this.#cards.append(card.element);
        return card;
    }
}

customElements.define('caprig-result', ResultView);
