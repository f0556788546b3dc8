// Profiles of settings: saves what the cameras are asked to hold, and loads a profile.

import { field, make, picker, setText } from './elements.js';
import { counted } from './quantities.js';
import { resultItems, settingsPatience, summary } from './settings-results.js';

/** Said of a change whose request had no answer. */
const unknownChange = 'It is not known whether it was done.';

/** Set `session` before it is connected. */
class SettingsProfiles extends HTMLElement {
    #profile = picker([], '');
    #name = make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', maxlength: '64' });
    #load = make('button', { type: 'button', text: 'Load', click: () => this.#apply(`settings/profiles/${encodeURIComponent(this.#profile.value)}/load`) });
    #save = make('button', { type: 'submit', text: 'Save' });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #results = make('ul', { class: 'files', 'aria-label': 'What has become of the profile' });
    #details = make('details', {}, make('summary', { text: 'Profiles of settings' }));
    #isBusy = false;
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        const form = make('form', { submit: (event) => { event.preventDefault(); this.#keep(); } },
            field('Save what all cameras hold as', this.#name), this.#save);
        this.#details.append(field('Profile', this.#profile), this.#load, form, this.#answer, this.#results);
        this.append(this.#details);
        this.#details.addEventListener('toggle', () => this.#list());
        this.session.rig.addEventListener('rig', () => this.#update(), { signal: this.#end.signal });
        this.#update();
    }

    disconnectedCallback() { this.#end.abort(); }

    #update() {
        const mayChange = this.session.rig.may('configure') && !this.#isBusy;
        this.#load.disabled = !mayChange || !this.#profile.value;
        this.#save.disabled = !mayChange;
    }

    async #list() {
        if (!this.#details.open) return;
        try {
            const { profiles } = await this.session.gateway.get('settings/profiles');
            const chosen = this.#profile.value;
            this.#profile.replaceChildren(...profiles.filter(({ versions }) => versions.length).map(({ name, versions }) => {
                const { version, cameras } = versions.at(-1);
                return make('option', { value: name, text: `${name}, version ${version}, ${counted(cameras, 'camera')}` });
            }));
            if (profiles.some(({ name }) => name === chosen)) this.#profile.value = chosen;
            const damaged = profiles.filter(({ problem }) => problem);
            if (damaged.length) setText(this.#answer, damaged.map(({ problem }) => problem.message).join(' '));
            else if (!profiles.length) setText(this.#answer, 'The rig has no profile yet. Save makes the first one.');
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
        this.#update();
    }

    async #keep() {
        await this.#send(`settings/profiles/${encodeURIComponent(this.#name.value.trim())}`, {}, async ({ isNew, profile, leftOut }) => {
            const words = isNew ? 'saved' : 'has these settings already';
            setText(this.#answer, [`${profile.name}, version ${profile.version}, ${words}.`, ...leftOut.map(({ problem }) => `${problem.message}.`)].join(' '));
            await this.#list();
        });
    }

    #apply(path) {
        return this.#send(path, {}, (report) => {
            setText(this.#answer, summary(report));
            this.#results.replaceChildren(...resultItems(report));
        });
    }

    async #send(path, body, show) {
        this.#isBusy = true;
        this.#update();
        this.#results.replaceChildren();
        setText(this.#answer, 'Asking the cameras …');
        try {
            await show(await this.session.gateway.send('POST', path, body, settingsPatience));
        } catch (problem) {
            setText(this.#answer, problem.text(unknownChange));
        }
        this.#isBusy = false;
        this.#update();
    }
}

customElements.define('caprig-settings-profiles', SettingsProfiles);
