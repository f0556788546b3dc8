// Replaces a camera by another one of its node, and says before the click what would be refused.

import { field, make, picker, setText } from './elements.js';
import { devicePath } from './gateway.js';

/** Set `session` and `device` before it is connected. While it is open, asks the node whenever one of the two cameras changes its state. */
class CameraSwitch extends HTMLElement {
    #choice = picker([], '', { change: () => this.#update() });
    #button = make('button', { type: 'button', disabled: true, click: () => this.#switch() });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #form = make('details', { toggle: () => this.#update() });
    #asked;
    #question;
    #end = new AbortController();

    connectedCallback() {
        this.#form.append(make('summary', { text: 'Replace by another camera' }), field('Other camera', this.#choice),
            this.#button, this.#answer);
        this.append(this.#form);
        this.session.rig.addEventListener('rig', () => this.#update(), { signal: this.#end.signal });
        this.#update();
    }

    disconnectedCallback() { this.#end.abort(); }

    get #node() { return this.device.split('/')[0]; }

    get #others() {
        return (this.session.rig.devices ?? []).map(({ device }) => device)
            .filter(({ id, mediaType }) => mediaType === 'video' && id !== this.device && id.startsWith(`${this.#node}/`))
            .map(({ id }) => id.split('/')[1]);
    }

    #update() {
        const others = this.#others;
        this.hidden = !others.length || !this.session.rig.may('configure');
        if (this.hidden || !this.#form.open) return;
        if ([...this.#choice.options].map(({ value }) => value).join() !== others.join()) {
            const { value } = this.#choice;
            this.#choice.replaceChildren(...others.map((name) => make('option', { value: name, text: name })));
            this.#choice.value = others.includes(value) ? value : others[0];
        }
        const [mine, other] = [this.device, `${this.#node}/${this.#choice.value}`].map((id) => this.session.rig.camera(id)?.condition);
        const known = JSON.stringify([this.#choice.value, mine?.state, mine?.session?.abilities?.switchInput, other?.state]);
        if (known === this.#asked) return;
        this.#asked = known;
        this.#ask(this.#choice.value);
    }

    /** Asks the node; an answer that another question has overtaken is ignored. */
    async #ask(replacement) {
        setText(this.#button, `Replace ${this.device} by ${replacement}`);
        const question = Symbol(replacement);
        this.#question = question;
        let reason = '';
        try {
            const answer = await this.session.gateway.get(
                `devices/${devicePath(this.device)}/session/replacements/${encodeURIComponent(replacement)}`);
            reason = answer.objection?.problem.message ?? '';
        } catch (problem) {
            reason = problem.message;
        }
        if (this.#question !== question) return;
        this.#button.disabled = reason !== '';
        setText(this.#answer, reason);
    }

    async #switch() {
        if (this.session.rig.isOld) return;
        this.#button.disabled = true;
        this.#question = undefined;
        setText(this.#answer, 'Asking the node …');
        try {
            const body = { action: 'switch', replacement: this.#choice.value };
            const { device } = await this.session.gateway.send('POST', `devices/${devicePath(this.device)}/session`, body);
            setText(this.#answer, `${device} has replaced ${this.device}.`);
        } catch (problem) {
            setText(this.#answer, problem.text('The states of the cameras show whether that was done.'));
        }
    }
}

customElements.define('caprig-camera-switch', CameraSwitch);
