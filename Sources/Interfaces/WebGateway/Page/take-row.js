// One take: what its cameras have recorded, marks, and its end.

import { badge, describeOutcome } from './conditions.js';
import { field, make, setText } from './elements.js';
import { capturePatience, unknownRequest } from './gateway.js';
import { byteText, counted, durationText, integer } from './quantities.js';

/** The number of a mark: with the same number it is set once. */
function freshMark() {
    return String(crypto.getRandomValues(new BigUint64Array(1))[0] || 1n);
}

function sum(values) { return values.reduce((total, value) => total + (integer(value) ?? 0n), 0n); }

function longest(values) {
    return values.map((value) => integer(value) ?? 0n).reduce((most, value) => (value > most ? value : most), 0n);
}

/** Set `session` and `take` before it is connected, and `recordings` with each document of the rig. */
class TakeRow extends HTMLElement {
    #state = make('span');
    #figures = make('span', { class: 'figures' });
    #text = make('p', { role: 'status', dir: 'auto', class: 'note' });
    #mark = make('input', { name: 'mark', autocomplete: 'off', maxlength: '200' });
    #form = make('form', { class: 'mark' });
    #stop = make('button', { type: 'button', text: 'Stop' });
    #link = make('a');
    #isStopping = false;
    #hasRecorded = false;
    isUnderWay = true;
    isOver = false;
    #end = new AbortController();

    connectedCallback() {
        // It follows its take also while another view is open.
        if (this.firstChild) return;
        const name = `Take ${this.take.slice(-6)}`;
        this.#stop.setAttribute('aria-label', `Stop ${name}`);
        this.#form.append(field(`Mark in ${name}`, this.#mark), make('button', { text: 'Set mark' }), this.#stop);
        this.#link.href = `#shot/${this.take}`;
        this.#link.textContent = name;
        this.append(
            make('div', { class: 'progress' }, this.#link, this.#state, this.#figures), this.#form, this.#text);
        this.#form.addEventListener('submit', (event) => this.#setMark(event));
        this.#stop.addEventListener('click', () => this.stop());
        this.session.rig.addEventListener('event', (event) => this.#hear(event.detail), { signal: this.#end.signal });
    }

    /** Follows the take no longer. */
    end() {
        this.#end.abort();
        this.remove();
    }

    say(text) { setText(this.#text, text); }

    /** What each camera that records this take has recorded. */
    set recordings(recordings) {
        this.isUnderWay = recordings.length > 0;
        if (recordings.length > 0) {
            this.#hasRecorded = true;
            const duration = longest(recordings.map(({ durationNanoseconds }) => durationNanoseconds));
            const bytes = sum(recordings.map(({ byteCount }) => byteCount));
            setText(this.#figures, `${counted(recordings.length, 'camera')} recording: ${durationText(duration)}, ${byteText(bytes)}`);
        } else if (this.#hasRecorded && !this.isOver) {
            setText(this.#figures, 'All cameras have stopped recording.');
        }
    }

    #hear({ name, shot, details }) {
        if (shot !== this.take || this.isOver) return;
        switch (name) {
        case 'take.began': this.say(`${details?.recording} of ${counted(Number(details?.cameras), 'camera')} recorded from T on.`); break;
        case 'take.stopped': this.say('Stopped; the movies are being stored.'); break;
        case 'take.marked': this.say(`Mark: ${details?.text}`); break;
        case 'take.settled': this.#settle(details?.status); break;
        }
    }

    #settle(status) {
        this.#state.replaceChildren(badge(describeOutcome(status)));
        this.#finish('Over. Its result has the outcome of every movie.');
    }

    /** Says why the take was not begun, as far as that is known. */
    fail(problem) {
        if (problem.isUnreachable) this.say(problem.text(unknownRequest));
        else this.#finish(problem.message);
    }

    #finish(text) {
        this.isOver = true;
        setText(this.#figures, '');
        this.say(text);
        // What replaces the form for whoever was in it.
        if (this.#form.contains(document.activeElement)) this.#link.focus();
        this.#form.remove();
    }

    async #setMark(event) {
        event.preventDefault();
        const text = this.#mark.value;
        const answer = await this.#send('marks', { text, mark: freshMark() }, 'It is not known whether the mark was set; the result of the take lists its marks.');
        if (!answer) return;
        this.say(`Mark at ${durationText(answer.offsetNanoseconds)}: ${answer.text}`);
        if (this.#mark.value === text) this.#mark.value = '';
    }

    /** Ends the take. The button has the focus, so it is not disabled during the request. */
    async stop() {
        if (this.#isStopping) return;
        this.#isStopping = true;
        const answer = await this.#send('stop', undefined, 'It is not known whether the take was stopped. You can stop it again.');
        this.#isStopping = false;
        if (answer && !this.isOver) this.say('Stopping …');
    }

    /** Sends once; says why nothing came of it, and returns nothing then. */
    async #send(verb, body, unknown) {
        try {
            return await this.session.gateway.send('POST', `takes/${encodeURIComponent(this.take)}/${verb}`, body, capturePatience);
        } catch (problem) {
            this.say(problem.text(unknown));
            return undefined;
        }
    }
}

customElements.define('caprig-take', TakeRow);
