// Settings of the selected cameras in common words, given to all of them at one instant.

import { choice, field, make, picker, setText } from './elements.js';
import { devicePath } from './gateway.js';
import { counted } from './quantities.js';
import { scaleOf } from './setting-scale.js';
import { having, resultItems, settingsPatience, summary } from './settings-results.js';
import { refusalText } from './shot-settings.js';

/** How many cameras are asked at the same time. */
const askedAtOnce = 8;

/** `whiteBalanceTemperature` for people. */
function title(name) {
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Of values of several cameras, the one that all have, or that they differ. */
function common(values) {
    return values.every((value) => value === values[0]) ? values[0] ?? '' : 'differs';
}

/** Set `session` and `selection` before it is connected, and `cameras`, the selected ones, whenever they change. */
class CameraSettings extends HTMLElement {
    #cameras = [];
    #asked = '';
    #fields = make('div', { class: 'controls' });
    #unsupported = make('details', { hidden: true }, make('summary', { text: 'Not supported by these cameras' }));
    /** What sliders have been set to while cameras were being set, by setting. */
    #waiting = new Map();
    #isSetting = false;
    #asking = make('p', { class: 'note', dir: 'auto' });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #results = make('ul', { class: 'files', 'aria-label': 'What has become of the settings' });
    #requireAll = choice('Undo everything unless every camera has them', {});
    #apply = make('button', { type: 'submit', text: 'Set at one instant' });
    #details = make('details', { open: true }, make('summary', { text: 'Values' }));

    connectedCallback() {
        const form = make('form', { submit: (event) => { event.preventDefault(); this.#send(); } },
            this.#asking, this.#fields, this.#requireAll.row, this.#apply, this.#answer, this.#results, this.#unsupported);
        this.#details.append(form);
        this.append(this.#details);
        this.#details.addEventListener('toggle', () => this.#ask());
    }

    set cameras(cameras) {
        this.#cameras = cameras;
        this.#update();
        this.#ask();
    }

    #update() {
        const { rig } = this.session;
        this.#apply.disabled = !rig.may('configure') || this.#cameras.length === 0;
        if (!rig.may('configure')) setText(this.#answer, 'Changes need the permission to configure.');
    }

    /** Asks the selected cameras what they support, once for each selection. */
    async #ask() {
        const devices = this.#cameras.map(({ device }) => device.id);
        const asked = devices.join(' ');
        if (!this.#details.open || this.offsetParent === null || asked === this.#asked) return;
        this.#asked = asked;
        if (devices.length === 0) {
            this.#fields.replaceChildren();
            return;
        }
        setText(this.#asking, `Asking ${counted(devices.length, 'camera')} …`);
        const answers = [];
        const queue = [...devices];
        const troubles = [];
        await Promise.all(Array.from({ length: askedAtOnce }, async () => {
            for (let id = queue.shift(); id; id = queue.shift()) {
                try {
                    const { capabilities, obstacle } = await this.session.gateway.get(`devices/${devicePath(id)}`);
                    if (capabilities) answers.push({ id, settings: capabilities.settings });
                    else troubles.push({ id, reason: obstacle?.message ?? 'it does not say what it supports' });
                } catch (problem) {
                    troubles.push({ id, reason: problem.message });
                }
            }
        }));
        // What is asked for during a change is asked for again after it.
        if (asked !== this.#asked || this.#isSetting) return;
        answers.sort((a, b) => devices.indexOf(a.id) - devices.indexOf(b.id));
        const names = answers[0]?.settings.map(({ name }) => name) ?? [];
        const { setting, type } = this.#fields.contains(document.activeElement) ? { ...document.activeElement.dataset, type: document.activeElement.type } : {};
        const rows = names.map((name) => this.#row(name, answers));
        this.#fields.replaceChildren(...rows.filter(({ isSupported }) => isSupported).map(({ element }) => element));
        const others = rows.filter(({ isSupported }) => !isSupported);
        this.#unsupported.replaceChildren(this.#unsupported.firstChild, ...others.map(({ element }) => element));
        this.#unsupported.hidden = others.length === 0;
        [...this.#fields.querySelectorAll(`[data-setting="${setting}"]`)].find((input) => input.type === type)?.focus();
        setText(this.#asking, refusalText(troubles));
        this.#update();
    }

    /** A setting: a choice, or a slider and its text; what no camera supports has the reason. */
    #row(name, answers) {
        const all = answers.map(({ id, settings }) => ({ id, ...settings.find((setting) => setting.name === name) }));
        const able = all.filter(({ obstacle }) => obstacle === undefined);
        const refused = all.filter(({ obstacle }) => obstacle !== undefined).map(({ id, obstacle }) => ({ id, reason: obstacle }));
        const disabled = able.length === 0 || !this.session.rig.may('configure');
        const present = common(able.map(({ current }) => current));
        const choices = [...new Set(able.flatMap((setting) => setting.choices))];
        const input = choices.length
            ? picker([['', present ? `unchanged (${present})` : 'unchanged'], ...choices.map((text) => [text, text])], '', { disabled })
            : make('input', { type: 'text', disabled, placeholder: present, autocomplete: 'off', spellcheck: 'false' });
        input.dataset.setting = name;
        const [first] = able;
        const range = first?.minimum === undefined || choices.length ? '' : `${first.minimum} to ${first.maximum}`
            + `${first.step === undefined ? '' : ` in steps of ${first.step}`}. `;
        const element = field(title(name), input, range + (refused.length ? `${able.length ? 'Not with ' : ''}${refusalText(refused)}` : ''));
        const scale = !choices.length && first && scaleOf(first);
        if (scale) input.before(this.#slider(name, scale, able.map(({ current }) => current).find((text) => Number.isFinite(scale.positionOf(text))), disabled));
        return { element, isSupported: able.length > 0 };
    }

    /** Shows the value while it moves, and sets it when it is let go. */
    #slider(name, scale, current, disabled) {
        const text = make('span', { class: 'value', 'aria-hidden': 'true', text: current ?? '' });
        const slider = make('input', {
            type: 'range', min: scale.min, max: scale.max, step: scale.step, disabled, 'aria-label': `${title(name)}, slider`, 'aria-valuetext': current,
            input: ({ target }) => {
                setText(text, scale.textOf(target.value));
                target.setAttribute('aria-valuetext', text.textContent);
            },
            change: ({ target }) => this.#slide(name, scale.textOf(target.value)),
        });
        if (current !== undefined) slider.value = scale.positionOf(current);
        slider.dataset.setting = name;
        return make('div', { class: 'slider' }, slider, text);
    }

    /** Sets the newest value of each slider; those that come during a change follow it. */
    async #slide(name, value) {
        this.#waiting.set(name, value);
        if (this.#isSetting) return;
        while (this.#waiting.size > 0) {
            const settings = [...this.#waiting].map(([each, text]) => `${each}=${text}`).join(' ');
            this.#waiting.clear();
            await this.#set(settings);
        }
    }

    async #send() {
        const inputs = [...this.#fields.querySelectorAll('[data-setting]:not([type=range])')].filter(({ value, disabled }) => value.trim() && !disabled);
        if (inputs.length === 0) {
            setText(this.#answer, 'Give at least one setting a value.');
            return;
        }
        await this.#set(inputs.map((input) => `${input.dataset.setting}=${input.value.trim()}`).join(' '));
    }

    /** Gives all selected cameras settings at one instant. */
    async #set(settings) {
        this.#isSetting = true;
        this.#results.replaceChildren();
        setText(this.#answer, 'Setting …');
        const body = { selection: this.selection.document, settings, requireAll: this.#requireAll.input.checked };
        this.#apply.disabled = true;
        let report;
        try {
            report = await this.session.gateway.send('POST', 'settings', body, settingsPatience);
        } catch (problem) {
            setText(this.#answer, problem.text('It is not known whether the cameras were set.'));
        }
        this.#isSetting = false;
        if (report) this.#show(report);
        this.#update();
    }

    #show(report) {
        setText(this.#answer, summary(report));
        this.#results.replaceChildren(...resultItems(report));
        if (having(report) < report.cameras.length || this.#waiting.size > 0) return;
        // What is shown as present has changed.
        this.#asked = '';
        this.#ask();
    }
}

customElements.define('caprig-camera-settings', CameraSettings);
