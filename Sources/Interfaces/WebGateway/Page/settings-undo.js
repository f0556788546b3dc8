// What can be undone of the changes of settings, in words, and its undo.

import { foreignText, make, setText } from './elements.js';
import { devicePath } from './gateway.js';
import { counted, timeText } from './quantities.js';
import { changeText } from './setting-words.js';
import { resultItems, settingsPatience, summary } from './settings-results.js';

/** Changes that are shown at first. */
const shownAtFirst = 5;
/** Lines that tell of cameras that differ. */
const mostLines = 3;
/** Changes come together; milliseconds. */
const pause = 300;
const runWords = { match: 'Match', lock: 'Lock' };

/** The transactions as changes that are undone as one, newest first: `id`, `principal`, `time`, `profile`, `run`, and the steps of each camera. */
function changesOf(transactions) {
    const changes = new Map();
    const undone = new Set();
    for (const { settingsId, run, undoes, undoesRun, cameras, ...rest } of transactions) {
        if (undoes) {
            for (const { device, outcome } of cameras) if (!['refused', 'failed', 'lost'].includes(outcome)) undone.add(`${undoesRun ?? undoes} ${device}`);
            continue;
        }
        const id = run ?? settingsId;
        if (!changes.has(id)) changes.set(id, { id, run, cameras: new Map(), ...rest });
        const steps = changes.get(id).cameras;
        for (const { device, outcome, ...step } of cameras) {
            if (['refused', 'undone'].includes(outcome) || undone.has(`${id} ${device}`)) continue;
            steps.set(device, [step, ...(steps.get(device) ?? [])]);
        }
    }
    return [...changes.values()].filter(({ cameras }) => cameras.size > 0);
}

/** Set `session` before it is connected. Call `refresh()` when it is shown. */
class SettingsUndo extends HTMLElement {
    #list = make('ul', { class: 'undoable', 'aria-label': 'What can be undone' });
    #older = make('button', { type: 'button', hidden: true, click: () => { this.#isWhole = true; this.#show(); } });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #results = make('ul', { class: 'files', 'aria-label': 'What has become of the undo' });
    #details = make('details', { open: true }, make('summary', { text: 'Undo' }));
    #changes = [];
    #kinds = new Map();
    /** What cameras have said of themselves, by their names. */
    #described = new Map();
    #isWhole = false;
    #isBusy = false;
    #timer;
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.#details.append(this.#answer, this.#results, this.#list, this.#older);
        this.append(this.#details);
        this.#details.addEventListener('toggle', () => this.refresh());
        this.session.rig.addEventListener('event', ({ detail }) => detail.name.startsWith('settings.') && this.#schedule(), { signal: this.#end.signal });
    }

    disconnectedCallback() {
        this.#end.abort();
        clearTimeout(this.#timer);
    }

    #schedule() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.refresh(), pause);
    }

    async refresh() {
        if (!this.#details.open || !this.checkVisibility()) return;
        const { gateway } = this.session;
        try {
            const [{ transactions }, { runs }] = await Promise.all([gateway.get('settings/history'), gateway.get('settings/runs')]);
            this.#kinds = new Map(runs.map(({ run, report }) => [run, report.kind]));
            this.#changes = changesOf(transactions);
            await this.#describe();
            this.#show();
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }

    /** Asks cameras what their controls are, each once. One that does not answer keeps its driver's names. */
    async #describe() {
        const devices = new Set(this.#changes.flatMap(({ cameras }) => [...cameras.keys()]));
        await Promise.all([...devices].filter((id) => !this.#described.has(id)).map(async (id) => {
            try {
                const { capabilities } = await this.session.gateway.get(`devices/${devicePath(id)}`);
                if (capabilities) this.#described.set(id, capabilities);
            } catch {
                // It is asked again with the next change.
            }
        }));
    }

    #show() {
        const shown = this.#isWhole ? this.#changes : this.#changes.slice(0, shownAtFirst);
        const focused = this.#list.contains(document.activeElement) ? document.activeElement.dataset.change : undefined;
        this.#list.replaceChildren(...shown.map((change) => this.#item(change)));
        if (!shown.length) this.#list.append(make('li', { class: 'note', text: 'No change of settings can be undone. Changes that are made here or elsewhere appear in this list.' }));
        this.#older.hidden = shown.length === this.#changes.length;
        setText(this.#older, `Show ${counted(this.#changes.length - shown.length, 'older change')}`);
        if (focused) (this.#list.querySelector(`[data-change="${focused}"]`) ?? this.#details.firstChild).focus();
    }

    #item({ id, run, cameras, principal, profile, time }) {
        const texts = [...cameras].map(([device, steps]) => ({ device, text: changeText(steps, this.#described.get(device)) }));
        const groups = [...Map.groupBy(texts, ({ text }) => text)];
        const lines = groups.slice(0, mostLines).map(([text, members]) => {
            const names = members.length > 2 ? counted(members.length, 'camera') : members.map(({ device }) => device).join(', ');
            return make('p', { class: 'change', dir: 'auto' }, foreignText(text, 'strong'), make('span', { class: 'note', text: ` ${names}` }));
        });
        if (groups.length > mostLines) {
            const further = groups.slice(mostLines).reduce((sum, [, members]) => sum + members.length, 0);
            lines.push(make('p', { class: 'note', text: `and ${counted(further, 'more camera')}` }));
        }
        const origin = run ? runWords[this.#kinds.get(run)] ?? 'Run' : profile && `Profile ${profile}`;
        const words = [origin, groups[0][0]].filter(Boolean).join(': ');
        return make('li', {},
            make('div', {}, lines, foreignText([origin, principal, timeText(time)].filter(Boolean).join(' · '), 'p', { class: 'note' })),
            make('button', {
                type: 'button', text: 'Undo', 'aria-label': `Undo ${words}`, 'data-change': id, disabled: this.#isBusy || !this.session.rig.may('configure'),
                click: () => this.#undo(id),
            }));
    }

    /** Undoes a change, and shows the outcome for each camera. */
    async #undo(id) {
        this.#isBusy = true;
        for (const button of this.#list.querySelectorAll('button')) button.disabled = true;
        this.#results.replaceChildren();
        setText(this.#answer, 'Asking the cameras …');
        try {
            const report = await this.session.gateway.send('POST', 'settings/undo', { transaction: id }, settingsPatience);
            setText(this.#answer, summary(report));
            this.#results.replaceChildren(...resultItems(report));
        } catch (problem) {
            setText(this.#answer, problem.text('It is not known whether it was undone.'));
        }
        this.#isBusy = false;
        this.#details.firstChild.focus();
        await this.refresh();
    }
}

customElements.define('caprig-settings-undo', SettingsUndo);
