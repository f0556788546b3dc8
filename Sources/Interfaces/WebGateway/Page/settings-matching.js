// Matches the selected cameras to one of them, or to a gray card, or locks them; and follows such a run, whoever has begun it.

import { field, make, picker, setText, update } from './elements.js';
import { capturePatience } from './gateway.js';
import { matchItems, matchSummary } from './match-results.js';
import { counted } from './quantities.js';
import { freshShotID } from './shot-request.js';

/** How long one question about a run waits for its end, seconds. */
const stride = 1;
/** How long the page waits before it asks a gateway again that did not answer, milliseconds. */
const retryAfter = 2000;
/** The choice of a gray card instead of a camera. */
const card = 'card';
const gray = { red: 0.18, green: 0.18, blue: 0.18 };
/** In percent. */
const tolerances = { least: 0.1, most: 50, usual: 3 };

const isOver = ({ state }) => state === 'ended' || state === 'cancelled';

/** Set `session` and `selection` before it is connected, and `cameras`, the selected ones, whenever they change. */
class SettingsMatching extends HTMLElement {
    #cameras = [];
    #reference = picker([], '');
    #tolerance = make('input', {
        type: 'number', min: String(tolerances.least), max: String(tolerances.most), step: 'any', value: String(tolerances.usual),
        inputmode: 'decimal',
    });
    #match = make('button', { type: 'submit', text: 'Match' });
    #lock = make('button', { type: 'button', text: 'Lock', click: () => this.#begin('settings/lock', {}) });
    #cancel = make('button', { type: 'button', text: 'Cancel the run', click: () => this.#end() });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #results = make('ul', { class: 'files', 'aria-label': 'What has become of the cameras' });
    #details = make('details', {}, make('summary', { text: 'Match and lock cameras' }));
    /** The id of the run that is followed. */
    #followed;
    #isUnderWay = false;
    #life;

    connectedCallback() {
        this.#life = new AbortController();
        const form = make('form', { novalidate: true, submit: (event) => { event.preventDefault(); this.#beginMatch(); } },
            field('Match to', this.#reference, 'It is locked first. All cameras must see the same target in the middle third of their pictures.'),
            field('Tolerance, percent', this.#tolerance, 'How far red, green and blue may be off.'),
            make('div', { class: 'toolbar' }, this.#match, this.#lock, this.#cancel),
            make('p', { class: 'note', text: 'Lock keeps the exposure, gain and white balance that automatic modes have chosen.' }),
            this.#answer, this.#results);
        this.#details.append(form);
        this.append(this.#details);
        this.#details.addEventListener('toggle', () => this.#find());
        this.session.rig.addEventListener('rig', () => this.#update(), { signal: this.#life.signal });
        this.#update();
    }

    disconnectedCallback() {
        this.#life.abort();
        this.#followed = undefined;
    }

    set cameras(cameras) {
        this.#cameras = cameras;
        this.#offer();
        this.#update();
    }

    /** Offers the selected cameras as the reference; keeps the choice. */
    #offer() {
        const options = [...this.#cameras.map(({ device }) => [device.id, device.id]), [card, 'A gray card of 18 %']];
        if (options.map(([id]) => id).join(' ') === [...this.#reference.options].map(({ value }) => value).join(' ')) return;
        const chosen = this.#reference.value;
        this.#reference.replaceChildren(...options.map(([id, text]) => make('option', { value: id, text })));
        this.#reference.value = options.some(([id]) => id === chosen) ? chosen : options[0][0];
    }

    #update() {
        const { rig } = this.session;
        const mayBegin = rig.may('configure') && this.#cameras.length > 0 && !this.#isUnderWay;
        this.#match.disabled = !mayBegin;
        this.#lock.disabled = !mayBegin;
        this.#cancel.disabled = !rig.may('configure') || !this.#isUnderWay || !this.#followed;
        if (!rig.may('configure') && !this.#followed) setText(this.#answer, 'Changes need the permission to configure.');
    }

    #beginMatch() {
        const chosen = this.#reference.value;
        this.#begin('settings/match', chosen === card ? { card: gray } : { reference: chosen });
    }

    /** Begins a run once. The id is made here, and nothing is sent again later. */
    async #begin(path, goal) {
        const percent = Number(this.#tolerance.value);
        if (!(percent >= tolerances.least && percent <= tolerances.most)) {
            setText(this.#answer, `Give the tolerance as percent, ${tolerances.least} to ${tolerances.most}.`);
            this.#tolerance.focus();
            return;
        }
        const id = freshShotID();
        this.#followed = undefined;
        this.#isUnderWay = true;
        this.#update();
        this.#results.replaceChildren();
        setText(this.#answer, `Asking ${counted(this.#cameras.length, 'camera')} …`);
        try {
            const body = { id, selection: this.selection.document, tolerance: percent / 100, ...goal };
            await this.session.gateway.send('POST', path, body, capturePatience);
            this.#follow(id);
        } catch (problem) {
            setText(this.#answer, problem.text('It is not known whether the run has begun.'));
            this.#isUnderWay = false;
            this.#update();
            if (problem.isUnreachable) this.#follow(id);
        }
    }

    /** Ends the run. What becomes of it is shown by whoever follows it, in order. */
    async #end() {
        this.#cancel.disabled = true;
        setText(this.#answer, 'Cancelling …');
        try {
            await this.session.gateway.send('POST', `settings/runs/${encodeURIComponent(this.#followed)}/cancel`);
        } catch (problem) {
            setText(this.#answer, problem.text('It is not known whether the run ends.'));
        }
        this.#update();
    }

    /** Looks for a run that is under way, or else shows the newest one. */
    async #find() {
        if (!this.#details.open || this.#isUnderWay) return;
        try {
            const { runs } = await this.session.gateway.get('settings/runs');
            const run = runs.find((each) => !isOver(each)) ?? runs[0];
            if (run && !this.#isUnderWay) this.#follow(run.run);
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }

    /** Shows a run until it is over, another one is followed, or the view is left. */
    async #follow(id) {
        this.#followed = id;
        const path = `settings/runs/${encodeURIComponent(id)}`;
        for (let query = ''; this.#followed === id; query = `?wait=${stride}`) {
            try {
                const run = await this.session.gateway.get(path + query);
                if (this.#followed !== id) return;
                this.#show(run);
                if (isOver(run)) return;
            } catch (problem) {
                if (this.#followed !== id) return;
                setText(this.#answer, problem.text('The run goes on, if the gateway does.'));
                if (!problem.isUnreachable) {
                    this.#isUnderWay = false;
                    this.#update();
                    return;
                }
                await new Promise((resolve) => setTimeout(resolve, retryAfter));
            }
        }
    }

    #show(run) {
        this.#isUnderWay = !isOver(run);
        setText(this.#answer, matchSummary(run));
        update(this.#results, matchItems(run.report));
        this.#update();
    }
}

customElements.define('caprig-settings-matching', SettingsMatching);
