// The controls of a camera's driver: one field each, set as soon as it is changed.

import { field, make, picker, setText } from './elements.js';
import { devicePath } from './gateway.js';
import { integer, jsonInteger } from './quantities.js';

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

    connectedCallback() {
        this.append(make('h3', { text: 'Controls' }), this.#answer, this.#fields);
        this.#load();
    }

    get #path() { return `devices/${devicePath(this.device)}`; }

    async #load() {
        setText(this.#answer, 'Asking the camera …');
        try {
            const details = await this.session.gateway.get(this.#path);
            this.#show(details);
        } catch (problem) {
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
        const isEnabled = this.session.rig.may('configure') && !control.isReadOnly;
        const input = this.#input(control, isEnabled);
        input.dataset.control = control.name;
        if (control.kind !== 'button') return field(title(control.name), input, note(control));
        return make('div', { class: 'field' }, input);
    }

    #input(control, isEnabled) {
        const value = String(control.value ?? control.defaultValue ?? 0);
        const disabled = !isEnabled;
        const set = (read) => (event) => this.#set(control, read(event.target));
        switch (control.kind) {
        case 'boolean':
            return make('input', {
                type: 'checkbox', disabled, checked: value !== '0', change: set((input) => (input.checked ? 1 : 0)),
            });
        case 'menu': {
            const options = (control.menu ?? []).map(({ index, name }) => [String(index), name]);
            return picker(options, value, { disabled, change: set((select) => select.value) });
        }
        case 'button':
            return make('button', { type: 'button', disabled, text: title(control.name), click: set(() => 1) });
        default:
            return make('input', {
                type: 'number', disabled, min: control.minimum, max: control.maximum, step: control.step ?? 1, value,
                change: set((input) => (input.checkValidity() ? input.value : undefined)),
            });
        }
    }

    async #set(control, value) {
        if (value === undefined || integer(value) === undefined) {
            setText(this.#answer, `${title(control.name)} accepts ${control.minimum} to ${control.maximum}.`);
            return;
        }
        setText(this.#answer, `Setting ${title(control.name)} …`);
        try {
            const body = { [control.name]: jsonInteger(value) };
            const result = await this.session.gateway.send('PATCH', `${this.#path}/controls`, body);
            const read = result.controls?.[control.name];
            // A change may alter or deactivate other controls.
            await this.#load();
            setText(this.#answer, read === undefined ? `${title(control.name)} is set.` : `${title(control.name)} is ${read}.`);
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }
}

customElements.define('caprig-controls', CameraControls);
