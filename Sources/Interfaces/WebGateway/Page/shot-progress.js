// The progress of one shot that this page has triggered.

import { badge, describeOutcome } from './conditions.js';
import { make, setText } from './elements.js';
import { durationText, number } from './quantities.js';

const phases = ['armed', 'captured', 'done', 'partial', 'missed', 'failed'];

/** A line for one shot. Set `session` and `shot` before it is connected. */
class ShotProgress extends HTMLElement {
    #text = make('span', { role: 'status', dir: 'auto', text: 'Asking the rig …' });
    #state = make('span');
    #end = new AbortController();

    connectedCallback() {
        // It follows its shot also while another view is open.
        if (this.firstChild) return;
        const name = `Shot ${this.shot.slice(-6)}`;
        this.append(make('div', { class: 'progress' },
            make('a', { href: `#shot/${this.shot}`, text: name }), this.#state, this.#text));
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

    #advance({ shot, captures, predictedSpreadNanoseconds }) {
        if (shot !== this.shot || this.isSettled) return;
        const parts = phases.filter((phase) => number(captures?.[phase]) > 0)
            .map((phase) => `${number(captures[phase])} ${phase}`);
        const waiting = number(captures?.awaitingCompanions);
        if (waiting > 0) parts.push(`${waiting} waiting for further files`);
        const spread = predictedSpreadNanoseconds === undefined
            ? '' : `; predicted spread ${durationText(predictedSpreadNanoseconds)}`;
        this.say(`${number(captures?.expected)} expected: ${parts.join(', ') || 'none armed yet'}${spread}`);
    }

    #hear({ name, shot, details }) {
        if (shot !== this.shot || name !== 'shot.settled') return;
        this.isSettled = true;
        this.#state.replaceChildren(badge(describeOutcome(details?.status)));
        this.say(this.#text.textContent.replace(/^Asking the rig …$/, ''));
    }
}

customElements.define('caprig-progress', ShotProgress);
