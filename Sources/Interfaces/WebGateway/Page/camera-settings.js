// Settings of the selected cameras in common words, given to all of them at one instant.

import { choice, field, make, picker, setText } from './elements.js';
import { devicePath } from './gateway.js';
import { counted } from './quantities.js';
import { scaleOf } from './setting-scale.js';
import { furtherChoices, switchesOf } from './setting-switches.js';
import { title, valueText } from './setting-words.js';
import { having, resultItems, settingsPatience, summary } from './settings-results.js';
import { refusalText } from './shot-settings.js';

/** How many cameras are asked at the same time. */
const askedAtOnce = 8;
/** Changes come together; milliseconds. */
const pause = 200;

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
    /** What sliders and switches have been set to while cameras were being set, by setting. */
    #waiting = new Map();
    #isSetting = false;
    #asking = make('p', { class: 'note', dir: 'auto' });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #results = make('ul', { class: 'files', 'aria-label': 'What has become of the settings' });
    #requireAll = choice('Undo everything unless every camera has them', {});
    #apply = make('button', { type: 'submit', text: 'Set at one instant' });
    #details = make('details', { open: true }, make('summary', { text: 'Values' }));
    #timer;
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        const form = make('form', { submit: (event) => { event.preventDefault(); this.#send(); } },
            this.#asking, this.#fields, this.#requireAll.row, this.#apply, this.#answer, this.#results, this.#unsupported);
        this.#details.append(form);
        this.append(this.#details);
        this.#details.addEventListener('toggle', () => this.#ask());
        this.session.rig.addEventListener('event', ({ detail }) => detail.name === 'settings.applied' && this.#renew(), { signal: this.#end.signal });
    }

    disconnectedCallback() {
        this.#end.abort();
        clearTimeout(this.#timer);
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

    /** What somebody has typed or chosen and not set. */
    get #typed() { return [...this.#fields.querySelectorAll('[data-typed]')].filter(({ value, disabled }) => value.trim() && !disabled); }

    /** Asks again soon, once for many changes, unless somebody is typing. */
    #renew() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            if (this.#isSetting || this.#typed.length > 0) return;
            this.#asked = '';
            this.#ask();
        }, pause);
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
        const focused = this.#fields.contains(document.activeElement) ? document.activeElement.dataset.control : undefined;
        const typed = new Map(this.#typed.map(({ dataset, value }) => [dataset.typed, value]));
        const rows = names.map((name) => this.#row(name, answers));
        this.#fields.replaceChildren(...rows.filter(({ isSupported }) => isSupported).flatMap(({ elements }) => elements));
        const others = rows.filter(({ isSupported }) => !isSupported);
        this.#unsupported.replaceChildren(this.#unsupported.firstChild, ...others.flatMap(({ elements }) => elements));
        this.#unsupported.hidden = others.length === 0;
        // What was typed while the cameras were asked.
        for (const input of this.#fields.querySelectorAll('[data-typed]')) input.value = typed.get(input.dataset.typed) ?? '';
        if (focused) this.#fields.querySelector(`[data-control="${focused}"]`)?.focus();
        setText(this.#asking, refusalText(troubles));
        this.#update();
    }

    /** A setting: switches, a choice, or a slider and its text; what no camera supports has the reason. */
    #row(name, answers) {
        const all = answers.map(({ id, settings }) => ({ id, ...settings.find((setting) => setting.name === name) }));
        const able = all.filter(({ obstacle }) => obstacle === undefined);
        const refused = all.filter(({ obstacle }) => obstacle !== undefined).map(({ id, obstacle }) => ({ id, reason: obstacle }));
        const disabled = able.length === 0 || !this.session.rig.may('configure');
        const switches = switchesOf(name, able).map((each) => this.#switch(name, each, able, disabled));
        const choices = [...new Set(able.flatMap((setting) => setting.choices))];
        const elements = switches.length && !furtherChoices(choices).length ? switches : [...switches, this.#field(name, able, choices, refused, disabled)];
        return { elements, isSupported: able.length > 0 };
    }

    #switch(name, { label, on, off, isOn }, able, disabled) {
        const count = able.filter(isOn).length;
        const { row, input } = choice(label, {
            role: 'switch', disabled, checked: count === able.length, change: ({ target }) => this.#change(name, target.checked ? on : off),
        }, count > 0 && count < able.length ? `On with ${count} of ${counted(able.length, 'camera')}.` : undefined);
        input.dataset.control = `${name} ${on}`;
        return row;
    }

    #field(name, able, choices, refused, disabled) {
        const present = common(able.map(({ current }) => current ?? ''));
        const shown = present && valueText(present);
        const input = choices.length
            ? picker([['', shown ? `unchanged (${shown})` : 'unchanged'], ...choices.map((text) => [text, text])], '', { disabled })
            : make('input', { type: 'text', disabled, placeholder: shown, autocomplete: 'off', spellcheck: 'false' });
        Object.assign(input.dataset, { control: name, typed: name });
        const [first] = able;
        const range = first?.minimum === undefined || choices.length ? '' : `${valueText(first.minimum)} to ${valueText(first.maximum)}`
            + `${first.step === undefined ? '' : ` in steps of ${valueText(first.step)}`}. `;
        const element = field(title(name), input, range + (refused.length ? `${able.length ? 'Not with ' : ''}${refusalText(refused)}` : ''));
        const scale = !choices.length && first && scaleOf(first);
        if (scale) {
            const current = able.map((setting) => setting.current).find((text) => Number.isFinite(scale.positionOf(text)));
            element.classList.add('slider');
            input.before(this.#slider(name, scale, current, input, disabled));
        }
        return element;
    }

    /** Shows the value while it moves, in place of the present one, and sets it when it is let go. */
    #slider(name, scale, current, shown, disabled) {
        const slider = make('input', {
            type: 'range', min: scale.min, max: scale.max, step: scale.step, disabled, 'aria-label': `${title(name)}, slider`,
            'aria-valuetext': current && valueText(current),
            input: ({ target }) => {
                const text = valueText(scale.textOf(target.value));
                Object.assign(shown, { placeholder: text, value: '' });
                target.setAttribute('aria-valuetext', text);
            },
            change: ({ target }) => this.#change(name, scale.textOf(target.value)),
        });
        if (current !== undefined) slider.value = scale.positionOf(current);
        slider.dataset.control = `${name} slider`;
        return slider;
    }

    /** Sets the newest value of each slider and switch; those that come during a change follow it. */
    async #change(name, value) {
        this.#waiting.set(name, value);
        if (!this.#isSetting) await this.#setWaiting();
    }

    async #setWaiting() {
        while (this.#waiting.size > 0) {
            const settings = [...this.#waiting].map(([each, text]) => `${each}=${text}`).join(' ');
            this.#waiting.clear();
            await this.#set(settings);
        }
        // A camera that has refused shows what it has.
        this.#renew();
    }

    async #send() {
        const inputs = this.#typed;
        if (inputs.length === 0) {
            setText(this.#answer, 'Give at least one setting a value.');
            return;
        }
        const isSet = await this.#set(inputs.map((input) => `${input.dataset.typed}=${input.value.trim()}`).join(' '));
        // What some camera has refused can be corrected.
        for (const input of isSet ? inputs : []) input.value = '';
        await this.#setWaiting();
    }

    /** Gives all selected cameras settings at one instant. Returns whether all have them. */
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
        return report !== undefined && having(report) === report.cameras.length;
    }

    #show(report) {
        setText(this.#answer, summary(report));
        this.#results.replaceChildren(...resultItems(report));
    }
}

customElements.define('caprig-camera-settings', CameraSettings);
