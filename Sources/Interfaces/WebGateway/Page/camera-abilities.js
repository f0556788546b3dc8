// What can be requested of a camera, and why the rest cannot.

import { Badge, describeAbility } from './conditions.js';
import { foreignText, make, setText } from './elements.js';

const titles = {
    photo: 'Photo', live: 'Live Photo', record: 'Movie', largerPhoto: 'Larger still', raw: 'Raw file', flash: 'Flash',
    switchInput: 'Switch to another camera',
};

/** A row for each ability, which follows the rig. Set `session` and `device` before it is connected. */
class CameraAbilities extends HTMLElement {
    #rows = new Map();
    #list = make('ul', { class: 'files', 'aria-label': 'What can be requested' });
    #end = new AbortController();

    connectedCallback() {
        this.append(make('details', { open: true }, make('summary', { text: 'What can be requested' }), this.#list));
        this.session.rig.addEventListener('rig', () => this.#update(), { signal: this.#end.signal });
        this.#update();
    }

    disconnectedCallback() { this.#end.abort(); }

    #update() {
        const abilities = this.session.rig.camera(this.device)?.condition.session?.abilities;
        this.hidden = abilities === undefined;
        for (const [name, title] of Object.entries(titles)) {
            if (abilities?.[name]) this.#row(name, title).update(abilities[name]);
        }
    }

    #row(name, title) {
        const known = this.#rows.get(name);
        if (known) return known;
        const state = new Badge(describeAbility(false));
        const reason = foreignText('', 'p', { class: 'note' });
        this.#list.append(make('li', { 'data-ability': name }, make('span', { class: 'kind', text: title }), ' ', state.element, reason));
        const row = {
            update: (ability) => {
                state.update(describeAbility(ability.isAllowed));
                setText(reason, ability.reason ?? '');
            },
        };
        this.#rows.set(name, row);
        return row;
    }
}

customElements.define('caprig-camera-abilities', CameraAbilities);
