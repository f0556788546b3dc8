// The view Capture: chooses cameras and settings, triggers, and records.

import './camera-selection.js';
import './camera-settings.js';
import './settings-matching.js';
import './settings-profiles.js';
import './shot-progress.js';
import './shot-settings.js';
import './take-recording.js';
import { runningText } from './conditions.js';
import { choice, heading, make, setText, takesLetters } from './elements.js';
import { capturePatience, unknownRequest } from './gateway.js';
import { holdText } from './hold-banner.js';
import { counted, number } from './quantities.js';
import { shotRequest } from './shot-request.js';

const keptShots = 8;
const shots = [];

/** Set `session` before it is connected. */
class CaptureView extends HTMLElement {
    #selection = document.createElement('caprig-selection');
    #settings = document.createElement('caprig-settings');
    #cameraSettings = document.createElement('caprig-camera-settings');
    #matching = document.createElement('caprig-settings-matching');
    #profiles = document.createElement('caprig-settings-profiles');
    #instant = document.createElement('caprig-instant');
    #recording = document.createElement('caprig-recording');
    #button = make('button', {
        type: 'button', class: 'primary trigger', text: 'Trigger', 'aria-describedby': 'trigger-reason',
    });
    #reason = make('p', { id: 'trigger-reason', class: 'note', role: 'status', dir: 'auto' });
    #counts = make('p', { class: 'figures' });
    #shortcut = choice('Trigger with the key T', {
        checked: localStorage.getItem('caprig.shortcut') !== 'off',
        change: (event) => this.#offerShortcut(event.target.checked),
    });
    #shots = make('div', { class: 'progresses' });
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        const { signal } = this.#end;
        Object.assign(this.#recording, { session: this.session, selection: this.#selection, settings: this.#settings });
        Object.assign(this.#cameraSettings, { session: this.session, selection: this.#selection });
        Object.assign(this.#matching, { session: this.session, selection: this.#selection });
        this.#profiles.session = this.session;
        this.append(heading('Capture'),
            make('div', { class: 'columns' },
                make('div', {}, this.#selection), make('div', {}, this.#settings, this.#instant, this.#recording, this.#cameraSettings,
                    this.#matching, this.#profiles)),
            make('div', { class: 'triggering' }, this.#button, this.#reason, this.#shortcut.row, this.#counts),
            make('section', { 'aria-labelledby': 'recent' }, make('h2', { id: 'recent', text: 'Shots of this page' }), this.#shots));
        this.#offerShortcut(this.#shortcut.input.checked);
        this.#shots.append(...shots);
        this.#button.addEventListener('click', () => this.#trigger());
        // A held key repeats its press, and so the click.
        this.#button.addEventListener('keydown', (event) => event.repeat && event.preventDefault());
        this.#selection.addEventListener('change', () => this.#update());
        this.#instant.addEventListener('input', () => this.#update());
        document.addEventListener('keydown', (event) => this.#press(event), { signal });
        this.session.rig.addEventListener('rig', () => this.#update(), { signal });
        this.session.rig.addEventListener('freshness', () => this.#update(), { signal });
        this.#update();
    }

    disconnectedCallback() { this.#end.abort(); }

    /** A shortcut of a single letter can be switched off, for people whose software types by itself. */
    #offerShortcut(isOn) {
        localStorage.setItem('caprig.shortcut', isOn ? 'on' : 'off');
        if (isOn) this.#button.setAttribute('aria-keyshortcuts', 't');
        else this.#button.removeAttribute('aria-keyshortcuts');
    }

    #update() {
        const { rig } = this.session;
        this.#selection.cameras = rig.cameras;
        const { selected } = this.#selection;
        this.#settings.cameras = selected;
        this.#cameraSettings.cameras = selected;
        this.#matching.cameras = selected;
        this.#instant.depth = rig.ringDepth(selected);
        const common = this.#obstacle(selected);
        this.#recording.update(common);
        const obstacle = common ?? this.#instant.problem;
        this.#button.disabled = obstacle !== undefined;
        setText(this.#reason, obstacle ?? `${runningText(selected, 'selected camera')}.`);
        const live = rig.cameras.reduce((sum, { condition }) => sum + number(condition.session?.livePhotosInProgress), 0);
        setText(this.#counts, `${counted(live, 'clip')} being recorded, ${counted(number(rig.status?.openShots), 'open shot')}`);
    }

    /** Why nothing can be triggered or recorded; undefined if it can. */
    #obstacle(selected) {
        const { rig } = this.session;
        if (rig.trouble) return rig.trouble;
        if (!rig.may('trigger', 'add')) return 'This session does not have the permission to trigger; sign in with a link or token that has it.';
        if (rig.isHeldByOther) return holdText(rig.status.hold, false);
        return selected.length === 0 ? 'Select at least one camera.' : undefined;
    }

    #press(event) {
        const isShortcut = event.key.toLowerCase() === 't' && !event.ctrlKey && !event.altKey && !event.metaKey;
        if (!isShortcut || event.repeat || event.isComposing || !this.#shortcut.input.checked) return;
        if (takesLetters(event.target) || document.querySelector('dialog[open]')) return;
        event.preventDefault();
        this.#trigger();
    }

    /** Triggers once. The id is made here, and nothing is sent again later. */
    async #trigger() {
        this.#update();
        if (this.#button.disabled) return;
        const request = shotRequest({ selection: this.#selection, settings: this.#settings, instant: this.#instant });
        const progress = this.#list(request.shot, request.settings?.previewSize !== undefined);
        try {
            await this.session.gateway.send('POST', 'shots', request, capturePatience);
        } catch (problem) {
            progress.say(problem.text(unknownRequest));
        }
    }

    #list(shot, hasPreviews) {
        const progress = document.createElement('caprig-progress');
        Object.assign(progress, { session: this.session, shot, hasPreviews });
        shots.unshift(progress);
        for (const dropped of shots.splice(keptShots)) dropped.end();
        this.#shots.prepend(progress);
        return progress;
    }
}

customElements.define('caprig-capture', CaptureView);
