// The progress of one shot that this page has triggered.

import { badge, describeOutcome } from './conditions.js';
import { make, setText, smallPicture, update } from './elements.js';
import { durationText, number } from './quantities.js';
import { readShot } from './shot-document.js';

const phases = ['armed', 'captured', 'done', 'partial', 'missed', 'failed'];

/** A line for one shot. Set `session`, `shot` and `hasPreviews` before it is connected. */
class ShotProgress extends HTMLElement {
    #text = make('span', { role: 'status', dir: 'auto', text: 'Asking the rig …' });
    #state = make('span');
    #pictures = make('div', { class: 'previews' });
    #captures;
    #spread;
    #isSettled = false;
    #isAsking = false;
    #isStale = false;
    #end = new AbortController();

    connectedCallback() {
        // It follows its shot also while another view is open.
        if (this.firstChild) return;
        const name = `Shot ${this.shot.slice(-6)}`;
        this.append(make('div', { class: 'progress' },
            make('a', { href: `#shot/${this.shot}`, text: name }), this.#state, this.#text), this.#pictures);
        const { signal } = this.#end;
        const { rig } = this.session;
        rig.addEventListener('progress', (event) => this.#advance(event.detail), { signal });
        rig.addEventListener('event', (event) => this.#hear(event.detail), { signal });
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
        if (this.#isSettled || (this.hasPreviews && number(captures?.captured) > 0)) this.#ask();
    }

    /** A shot may be settled long after its answer, which ended its progress: then its document alone has its counts. */
    #hear({ name, shot, details }) {
        if (shot !== this.shot || !['shot.settled', 'capture.previewAvailable'].includes(name)) return;
        if (name === 'shot.settled') {
            this.#isSettled = true;
            this.#state.replaceChildren(badge(describeOutcome(details?.status)));
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
        const spread = this.#spread === undefined ? '' : `; predicted spread ${durationText(this.#spread)}`;
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
                // The line keeps what the rig has told; the result's view says what is wrong.
            }
        }
        this.#isAsking = false;
    }

    #read(shot) {
        if (!shot.isOpen) {
            this.#captures = { expected: shot.captures.length };
            for (const { phase } of shot.captures) this.#captures[phase] = (this.#captures[phase] ?? 0) + 1;
            this.#show();
        }
        if (!this.hasPreviews) return;
        update(this.#pictures, shot.captures.filter(({ thumbnail }) => thumbnail)
            .map(({ device, thumbnail }) => smallPicture(this.session.gateway.url(thumbnail), `Picture of ${device}`, make('span'))));
    }
}

customElements.define('caprig-progress', ShotProgress);
