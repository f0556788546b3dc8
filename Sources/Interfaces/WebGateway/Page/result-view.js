// The view Result: all cameras of one shot side by side, as their outcomes arrive.

import './annotation-form.js';
import './clip-player.js';
import './comparison-dialog.js';
import { Badge, describeOutcome } from './conditions.js';
import { CaptureCard } from './capture-card.js';
import { foreignText, heading, make, setText, takesLetters } from './elements.js';
import { ExportForm } from './export-form.js';
import { readMovies } from './movie-listing.js';
import { PictureJudge } from './picture-judge.js';
import { durationText, instantText } from './quantities.js';
import { RejectMarks } from './reject-marks.js';
import { readShot } from './shot-document.js';
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
    #cards = make('div', { class: 'cards captures' });
    #before = this.#step('←', 'Older: Left arrow', 'before');
    #after = this.#step('→', 'Newer: Right arrow', 'after');
    #neighbors;
    #chart = make('div', { class: 'chart-place', tabindex: '0', role: 'group', 'aria-label': 'Chart of skews' });
    #playing = make('section', { hidden: true });
    #player;
    #judge;
    #judged = '';
    #exporting = make('section', { hidden: true }, make('h2', { text: 'Export' }));
    #export;
    #annotation = document.createElement('caprig-annotation');
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #marks;
    #byDevice = new Map();
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
        this.append(make('div', { class: 'finder' }, this.#before, this.#after, this.heading, this.#badge.element, this.#summary),
            this.#answer, this.#cards, this.#facts,
            this.#playing,
            make('section', {}, make('h2', { text: 'Skew' }), this.#chart),
            make('section', {}, make('h2', { text: 'Title and note' }), this.#annotation),
            make('section', {}, make('h2', { text: 'Stored files' }), verification(this.session, shot, 'this shot')),
            this.#exporting);
        const { rig } = this.session;
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
            this.#show({ ...readShot(document), tag }, readMovies(document));
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
        for (const [device, found] of faults ?? []) this.#card(device).showFaults(found);
    }

    /** Shows the pictures of all cameras in full size, that of `device` first. */
    #enlarge(device) {
        const pictures = this.#shot.captures.filter(({ largest }) => largest).map((capture) => ({ device: capture.device, path: capture.largest }));
        this.append(Object.assign(document.createElement('caprig-comparison'), { gateway: this.session.gateway, pictures, chosen: device }));
    }

    /** The player appears with the first clip or movie that is expected. */
    #play(movies) {
        if (movies.cameras.length === 0) return;
        if (!this.#player) {
            this.#player = Object.assign(document.createElement('caprig-player'), { session: this.session });
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
            ['Triggered by', shot.triggeredBy], ['Id', shot.id],
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
            this.session.gateway, device, this.#marks, this.session.rig.may('trigger'), (chosen) => this.#enlarge(chosen));
        this.#byDevice.set(device, card);
        this.#cards.append(card.element);
        return card;
    }
}

customElements.define('caprig-result', ResultView);
