// Recording: begins takes of the selected cameras, and lists those under way, whoever has begun them.

import './take-row.js';
import { field, make, setText } from './elements.js';
import { capturePatience } from './gateway.js';
import { counted } from './quantities.js';
import { freshShotID } from './shot-request.js';

const keptTakes = 8;
/** The longest take, seconds. */
const longest = 86400;
/** The rows of the takes that this page knows, by id. They outlive the view. */
const rows = new Map();

/** Set `session`, `selection` and `settings` before it is connected. Call `update()` when one of them changes. */
class Recording extends HTMLElement {
    #limit = make('input', { type: 'number', min: '0.1', max: String(longest), step: 'any', inputmode: 'decimal' });
    #button = make('button', { type: 'button', text: 'Record' });
    #reason = make('p', { id: 'record-reason', class: 'note', role: 'status', dir: 'auto' });
    #rows = make('div', { class: 'progresses' });
    #obstacle;

    connectedCallback() {
        this.append(make('fieldset', {}, make('legend', { text: 'Movie' }),
            field('Ends after, seconds', this.#limit, 'Empty: when it is stopped, or when a disk is nearly full.'),
            this.#button, this.#reason, this.#rows));
        this.#rows.append(...[...rows.values()].reverse());
        this.#button.addEventListener('click', () => this.#record());
        this.#button.addEventListener('keydown', (event) => event.repeat && event.preventDefault());
        this.#limit.addEventListener('input', () => this.update(this.#obstacle));
    }

    /** `obstacle`: why nothing can be triggered; undefined if it can. */
    update(obstacle) {
        this.#obstacle = obstacle;
        this.#follow();
        const busy = this.selection.selected.filter(({ condition }) => condition.session?.recording).length;
        const problem = this.#problem;
        this.#button.disabled = (obstacle ?? problem) !== undefined;
        // The view says what stands in the way of everything.
        this.#button.setAttribute('aria-describedby', obstacle ? 'trigger-reason' : 'record-reason');
        setText(this.#reason, problem ?? (busy ? `${counted(busy, 'selected camera')} recording already.` : ''));
    }

    /** Why the length cannot be used; undefined if it can. */
    get #problem() {
        const seconds = Number(this.#limit.value || longest);
        const isUsable = seconds > 0 && seconds <= longest && !this.#limit.validity.badInput;
        return isUsable ? undefined : `Give the length as seconds, at most ${longest}.`;
    }

    /** Gives each take what its cameras have recorded; a take that somebody else has begun gets a row. */
    #follow() {
        const { rig } = this.session;
        if (rig.isOld) return;
        const byTake = Map.groupBy(
            rig.cameras.map(({ condition }) => condition.session?.recording).filter(Boolean), ({ take }) => take);
        for (const take of byTake.keys()) this.#row(take);
        for (const [take, row] of rows) row.recordings = byTake.get(take) ?? [];
    }

    #row(take) {
        const known = rows.get(take);
        if (known) return known;
        const row = document.createElement('caprig-take');
        Object.assign(row, { session: this.session, take });
        rows.set(take, row);
        this.#rows.prepend(row);
        for (const [id, old] of rows) {
            if (rows.size <= keptTakes) break;
            if (old.isUnderWay && !old.isOver) continue;
            old.end();
            rows.delete(id);
        }
        return row;
    }

    /** Begins a take once. The id is made here, and nothing is sent again later. */
    async #record() {
        this.update(this.#obstacle);
        if (this.#button.disabled) return;
        const take = freshShotID();
        const seconds = Number(this.#limit.value);
        const movie = seconds > 0 ? { maxRecordedDurationNanoseconds: Math.round(seconds * 1e9) } : {};
        const row = this.#row(take);
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
