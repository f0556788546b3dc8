// A shot in the strip: how far it is, then what it has become.

import { Badge, describeOutcome } from './conditions.js';
import { foreignText, make, setText, smallPicture, update } from './elements.js';
import { durationText, number, timeText } from './quantities.js';
import { readShot } from './shot-document.js';

const phases = ['armed', 'captured', 'done', 'partial', 'missed', 'failed'];
const pictured = 4;
/** Events after which the document of a shot has more. */
const news = new Set(['shot.settled', 'capture.previewAvailable', 'capture.didFinishCapture']);

/** Set `session` and `shot` before it is connected; `isOwn` if this page has triggered it, `entry` if it is listed already. */
class ShotProgress extends HTMLElement {
    #text = make('p', { dir: 'auto', text: 'Asking the rig …' });
    #state = new Badge(describeOutcome('pending'));
    #time = make('span', { class: 'figures' });
    #pictures = make('div', { class: 'previews' });
    #timing = make('p', { class: 'figures' });
    #problem = foreignText('', 'p', { class: 'problem' });
    #captures;
    #spread;
    #isSettled = false;
    #isAsking = false;
    #isStale = false;
    #end = new AbortController();

    connectedCallback() {
        // It follows its shot also while another view is open.
        if (this.firstChild) return;
        this.toggleAttribute('own', this.isOwn ?? false);
        if (this.isOwn) this.#text.setAttribute('role', 'status');
        this.append(this.#pictures, make('div', { class: 'about' },
            make('div', { class: 'progress' }, make('a', { href: `#shot/${this.shot}`, text: `Shot ${this.shot.slice(-6)}` }), this.#state.element, this.#time),
            this.#text, this.#timing, this.#problem));
        const { signal } = this.#end;
        const { rig } = this.session;
        rig.addEventListener('progress', (event) => this.#advance(event.detail), { signal });
        rig.addEventListener('event', (event) => this.#hear(event.detail), { signal });
        if (!this.isOwn) this.say('');
        if (this.entry) this.#ask();
    }

    /** Follows the shot no longer. */
    end() {
        this.#end.abort();
        this.remove();
    }

    say(text) { setText(this.#text, text); }

    /** The last progress has the counts of the answer, and may arrive after the event that the shot is settled. */
    #advance({ shot, captures, predictedSpreadNanoseconds }) {
        if (shot !== this.shot) return;
        this.#captures = captures ?? {};
        this.#spread = predictedSpreadNanoseconds;
        this.#show();
        if (this.#isSettled) this.#ask();
    }

    /** A shot may be settled long after its answer, which ended its progress: then its document alone has its counts. */
    #hear({ name, shot, details }) {
        if (shot !== this.shot || !news.has(name)) return;
        if (name === 'shot.settled') {
            this.#isSettled = true;
            this.#state.update(describeOutcome(details?.status));
            if (details?.status === 'complete') {
                const expected = number(this.#captures?.expected);
                if (expected > 0) this.#captures = { expected, done: expected };
            }
            this.#show();
        }
        this.#ask();
    }

    #show() {
        if (!this.#captures) return this.#isSettled ? this.say('') : undefined;
        const counts = this.#captures;
        const parts = phases.filter((phase) => number(counts[phase]) > 0).map((phase) => `${number(counts[phase])} ${phase}`);
        const waiting = number(counts.awaitingCompanions);
        if (waiting > 0 && !this.#isSettled) parts.push(`${waiting} waiting for further files`);
        const spread = this.#spread === undefined || this.#isSettled ? '' : `; predicted spread ${durationText(this.#spread)}`;
        return this.say(`${number(counts.expected)} expected: ${parts.join(', ') || 'none armed yet'}${spread}`);
    }

    /** Reads the shot's document, once for many reasons to. */
    async #ask() {
        if (!this.session.rig.may('read')) return;
        this.#isStale = true;
        if (this.#isAsking) return;
        this.#isAsking = true;
        while (this.#isStale && !this.#end.signal.aborted) {
            this.#isStale = false;
            try {
                this.#read(readShot(await this.session.gateway.get(`shots/${encodeURIComponent(this.shot)}`)));
            } catch {
                // The card keeps what the rig has told; the result's view says what is wrong.
            }
        }
        this.#isAsking = false;
    }

    #read(shot) {
        setText(this.#time, timeText(shot.time));
        this.#state.update(describeOutcome(shot.status));
        if (!shot.isOpen) {
            this.#isSettled = true;
            this.#captures = { expected: shot.captures.length };
            for (const { phase } of shot.captures) this.#captures[phase] = (this.#captures[phase] ?? 0) + 1;
            this.#show();
            this.#judge(shot);
        }
        const stored = shot.captures.filter(({ thumbnail }) => thumbnail);
        const pictures = stored.slice(0, pictured).map(({ device, thumbnail }) =>
            smallPicture(this.session.gateway.url(thumbnail), `Picture of ${device}`, make('span')));
        if (stored.length > pictured) pictures.push(make('span', { class: 'count', text: `+${stored.length - pictured}` }));
        this.#pictures.dataset.count = pictures.length;
        update(this.#pictures, pictures);
    }

    /** Says how far apart the pictures were taken, and what is missing. */
    #judge({ spread, worstSkew, worstBound, captures }) {
        setText(this.#timing, spread === undefined ? '' : `spread ${durationText(spread)} · worst ${durationText(worstSkew, { signed: true })} ± ${durationText(worstBound)}`);
        const bad = captures.filter(({ phase }) => phase !== 'done' && phase !== 'late');
        const [first] = bad.map(({ device, phase, problem }) => `${device}: ${problem || describeOutcome(phase).text}`);
        setText(this.#problem, first ? `${first}${bad.length > 1 ? ` – and ${bad.length - 1} more` : ''}` : '');
    }
}

customElements.define('caprig-progress', ShotProgress);
