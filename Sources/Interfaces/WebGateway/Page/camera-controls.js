// The controls of a camera's driver: one field each, set as soon as it is changed.

import { choice, field, make, picker, setText } from './elements.js';
import { devicePath } from './gateway.js';
import { integer, jsonInteger } from './quantities.js';
import { integerScale } from './setting-scale.js';

/** `exposure_time_absolute` for people. */
function title(name) {
    const words = name.replaceAll('_', ' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
}

function note(control) {
    if (control.isReadOnly) return 'Read-only.';
    if (control.isInactive) return 'Has no effect with the values of other controls.';
    if (control.kind !== 'integer') return '';
    const step = integer(control.step) > 1n ? ` in steps of ${control.step}` : '';
    return `${control.minimum} to ${control.maximum}${step}${control.unit ? `, unit ${control.unit}` : ''}. `
        + `Default ${control.defaultValue}.`;
}

/** Set `session` and `device` before it is connected. */
class CameraControls extends HTMLElement {
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #fields = make('div', { class: 'controls' });
    /** What controls have been set to while one was being set, by name. */
    #waiting = new Map();
    #isSetting = false;
    /** The state of the camera when it did not say what it has. */
    #silentIn;
    #end = new AbortController();

    connectedCallback() {
        this.append(make('details', { open: true }, make('summary', { text: 'Controls' }), this.#answer, this.#fields));
        this.session.rig.addEventListener('rig', () => this.#retry(), { signal: this.#end.signal });
        this.#load();
    }

    disconnectedCallback() { this.#end.abort(); }

    get #state() { return this.session.rig.camera(this.device)?.condition.state ?? 'unreachable'; }

    /** Asks again when something has happened to a camera that did not answer. */
    #retry() {
        if (this.#silentIn !== undefined && this.#silentIn !== this.#state) this.#load();
    }

    get #path() { return `devices/${devicePath(this.device)}`; }

    async #load() {
        setText(this.#answer, 'Asking the camera …');
        this.#silentIn = undefined;
        try {
            const details = await this.session.gateway.get(this.#path);
            if (details.obstacle) this.#silentIn = this.#state;
            this.#show(details);
        } catch (problem) {
            this.#silentIn = this.#state;
            setText(this.#answer, problem.message);
        }
    }

    #show({ capabilities, obstacle, remedy, isCut }) {
        const controls = capabilities?.controls ?? [];
        const focused = this.#fields.contains(document.activeElement) ? document.activeElement.dataset.control : undefined;
        this.#fields.replaceChildren(...controls.map((control) => this.#field(control)));
        if (focused) this.#fields.querySelector(`[data-control="${CSS.escape(focused)}"]`)?.focus();
        const isPermitted = this.session.rig.may('configure');
        setText(this.#answer, [
            obstacle?.message, remedy,
            controls.length || obstacle ? '' : 'This camera has no controls.',
            isCut ? 'It has more than the list holds.' : '',
            controls.length && !isPermitted ? 'Changes need the permission to configure.' : '',
        ].filter(Boolean).join(' '));
    }

    #field(control) {
        const value = String(control.value ?? control.defaultValue ?? 0);
        const disabled = !this.session.rig.may('configure') || control.isReadOnly;
        const set = (read) => (event) => this.#set(control, read(event.target));
        const name = title(control.name);
        const marked = (input) => {
            input.dataset.control = control.name;
            return input;
        };
        switch (control.kind) {
        case 'boolean': {
            const { row, input } = choice(name, {
                role: 'switch', disabled, checked: value !== '0', change: set((each) => (each.checked ? 1 : 0)),
            }, note(control));
            marked(input);
            return row;
        }
        case 'menu': {
            const options = (control.menu ?? []).map(({ index, name: text }) => [String(index), text]);
            return field(name, marked(picker(options, value, { disabled, change: set((select) => select.value) })), note(control));
        }
        case 'button':
            return make('div', { class: 'field' }, marked(make('button', { type: 'button', disabled, text: name, click: set(() => 1) })));
        default: {
            const input = marked(make('input', {
                type: 'number', disabled, min: control.minimum, max: control.maximum, step: control.step ?? 1, value,
                change: set((each) => (each.checkValidity() ? each.value : undefined)),
            }));
            const element = field(name, input, note(control));
            const scale = integerScale(control);
            if (scale) {
                element.classList.add('slider');
                input.before(this.#slider(control, scale, input));
            }
            return element;
        }
        }
    }

    /** Shows the value while it moves, and sets it when it is let go. */
    #slider(control, scale, shown) {
        const slider = make('input', {
            type: 'range', min: scale.min, max: scale.max, step: scale.step, disabled: shown.disabled,
            'aria-label': `${title(control.name)}, slider`, 'aria-valuetext': shown.value,
            input: ({ target }) => {
                shown.value = scale.textOf(target.value);
                target.setAttribute('aria-valuetext', shown.value);
            },
            change: ({ target }) => this.#set(control, scale.textOf(target.value)),
        });
        slider.value = scale.positionOf(shown.value);
        slider.dataset.control = `${control.name} slider`;
        return slider;
    }

    /** Sets the newest value of each control; those that come during a change follow it. */
    async #set(control, value) {
        if (value === undefined || integer(value) === undefined) {
            setText(this.#answer, `${title(control.name)} accepts ${control.minimum} to ${control.maximum}.`);
            return;
        }
        this.#waiting.set(control.name, value);
        if (this.#isSetting) return;
        this.#isSetting = true;
        while (this.#waiting.size > 0) {
            const [[name, newest]] = this.#waiting;
            this.#waiting.delete(name);
            await this.#send(name, newest);
        }
        this.#isSetting = false;
    }

    async #send(name, value) {
        setText(this.#answer, `Setting ${title(name)} …`);
        let outcome;
        try {
            const result = await this.session.gateway.send('PATCH', `${this.#path}/controls`, { [name]: jsonInteger(value) });
            const read = result.controls?.[name];
            outcome = read === undefined ? `${title(name)} is set.` : `${title(name)} is ${read}.`;
        } catch (problem) {
            outcome = problem.message;
        }
        // A change may alter or deactivate other controls, and a refused one is not what the camera has.
        if (this.#waiting.size === 0) await this.#load();
        setText(this.#answer, outcome);
    }
}

customElements.define('caprig-controls', CameraControls);
