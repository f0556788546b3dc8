// Recording: begins and stops takes of the selected cameras, and lists those under way, whoever has begun them.

import './take-row.js';
import { field, make, setText } from './elements.js';
import { capturePatience } from './gateway.js';
import { clockText, integer } from './quantities.js';
import { freshShotID } from './shot-request.js';

/** The longest take, seconds. */
const longest = 86400;

/** Set `session`, `selection`, `settings` and `strip` before it is connected. Call `update()` when one of them changes. */
class Recording extends HTMLElement {
    #seconds = make('input', { type: 'number', min: '0.1', max: String(longest), step: 'any', inputmode: 'decimal' });
    limit = make('fieldset', {}, make('legend', { text: 'Movie' }),
        field('Ends after, seconds', this.#seconds, 'Empty: when it is stopped, or when a disk is nearly full.'));
    #word = make('span', { text: 'Record' });
    #clock = make('span', { class: 'clock', 'aria-hidden': 'true' });
    #button = make('button', { type: 'button', class: 'record', 'aria-describedby': 'trigger-reason' }, make('span', { class: 'dot', 'aria-hidden': 'true' }), this.#word, this.#clock);
    /** The take of the selected cameras that the button stops, and the recording that has lasted longest in it. */
    #current;
    #obstacle;
    #ticker;

    connectedCallback() {
        this.append(this.#button);
        this.#button.addEventListener('click', () => this.#press());
        this.#button.addEventListener('keydown', (event) => event.repeat && event.preventDefault());
        this.#seconds.addEventListener('input', () => this.dispatchEvent(new Event('input', { bubbles: true })));
        this.#ticker = setInterval(() => this.#tick(), 250);
    }

    disconnectedCallback() { clearInterval(this.#ticker); }

    /** `obstacle`: why nothing can be triggered; undefined if it can. Returns why nothing can be recorded. */
    update(obstacle) {
        this.#obstacle = obstacle;
        this.#follow();
        const problem = this.#problem;
        this.#button.disabled = (obstacle ?? problem) !== undefined;
        return problem;
    }

    /** Why the length cannot be used; undefined if it can. */
    get #problem() {
        const seconds = Number(this.#seconds.value || longest);
        const isUsable = seconds > 0 && seconds <= longest && !this.#seconds.validity.badInput;
        return isUsable ? undefined : `Give the length as seconds, at most ${longest}.`;
    }

    /** Gives each take what its cameras have recorded; a take that somebody else has begun gets a row. */
    #follow() {
        const { rig } = this.session;
        if (rig.isOld) return;
        const recordings = (cameras) => cameras.map(({ condition }) => condition.session?.recording).filter(Boolean);
        const byTake = Map.groupBy(recordings(rig.cameras), ({ take }) => take);
        for (const take of byTake.keys()) this.strip.take(take);
        for (const row of this.strip.takes) row.recordings = byTake.get(row.take) ?? [];
        const mine = recordings(this.selection.selected).sort((a, b) => Number((integer(b.durationNanoseconds) ?? 0n) - (integer(a.durationNanoseconds) ?? 0n)))[0];
        this.#current = mine && { ...mine, told: performance.now() };
        this.#button.classList.toggle('is-recording', mine !== undefined);
        setText(this.#word, mine ? 'Stop' : 'Record');
        this.#tick();
    }

    #tick() { setText(this.#clock, this.#current ? clockText(this.#current.durationNanoseconds, this.#current.told) : ''); }

    #press() {
        this.update(this.#obstacle);
        if (this.#button.disabled) return;
        if (this.#current) this.strip.take(this.#current.take).stop();
        else this.#record();
    }

    /** Begins a take once. The id is made here, and nothing is sent again later. */
    async #record() {
        const take = freshShotID();
        const seconds = Number(this.#seconds.value);
        const movie = seconds > 0 ? { maxRecordedDurationNanoseconds: Math.round(seconds * 1e9) } : {};
        const row = this.strip.take(take);
        row.say('Asking the rig …');
        try {
            await this.session.gateway.send('POST', 'takes', {
                take, selection: this.selection.document, settings: { movie }, requireAll: this.settings.requireAll,
            }, capturePatience);
            if (!row.isOver) row.say('Accepted; the cameras begin.');
        } catch (problem) {
            row.fail(problem);
        }
    }
}

customElements.define('caprig-recording', Recording);
