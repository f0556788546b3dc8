// The bar with what triggers: Trigger, Record, and what a press will do.

import './camera-selection.js';
import './shot-settings.js';
import './take-recording.js';
import { runningText } from './conditions.js';
import { choice, field, freshID, icon, make, picker, setText, takesLetters } from './elements.js';
import { capturePatience, unknownRequest } from './gateway.js';
import { holdText } from './hold-menu.js';
import { counted, number } from './quantities.js';
import { shotRequest } from './shot-request.js';

const timers = [['0', 'off'], ['3', '3 s'], ['5', '5 s'], ['10', '10 s'], ['30', '30 s']];
/** What keeps its keys: an open menu. */
const openMenu = '.menu[open]';

/**
 * Set `session` and `strip` before it is connected. `selection`, `settings`, and `further`, more elements of what is taken, are its parts.
 * Dispatches `panel` (`detail`: `shot` or `cameras`) when settings are asked for.
 */
class TriggerBar extends HTMLElement {
    selection = document.createElement('caprig-selection');
    settings = document.createElement('caprig-settings');
    #instant = document.createElement('caprig-instant');
    #recording = document.createElement('caprig-recording');
    #timer = picker(timers, '0');
    #word = make('span', { text: 'Trigger' });
    #button = make('button', { type: 'button', class: 'primary trigger', 'aria-describedby': 'trigger-reason' }, icon('camera'), this.#word);
    #reason = make('p', { id: 'trigger-reason', class: 'note', role: 'status', dir: 'auto' });
    #taken = make('span', { class: 'names' });
    #panels = {
        shot: make('button', { type: 'button', 'aria-expanded': 'false', click: () => this.#ask('shot') },
            make('span', { class: 'over', text: 'Takes' }), this.#taken),
        cameras: make('button', { type: 'button', 'aria-expanded': 'false', click: () => this.#ask('cameras') },
            icon('settings'), make('span', { text: 'Settings' })),
    };
    #shortcut = choice('Keys: T and Space trigger, 1 to 9 choose cameras, F fills the screen', {
        checked: localStorage.getItem('caprig.shortcut') !== 'off',
        change: (event) => this.#offerShortcut(event.target.checked),
    });
    #choices = make('div', { class: 'choices', id: freshID('choices') });
    /** On phones, shows and hides the choices. */
    #more = make('button', { type: 'button', class: 'more', 'aria-expanded': 'false', 'aria-controls': this.#choices.id, text: 'More', click: () => this.#showMore(!this.classList.contains('is-open')) });
    /** Whether the space bar that is down has triggered. */
    #isSpaceTaken = false;
    /** Seconds until the self-timer triggers, and what counts them. */
    #countdown;
    #end;

    get hasShortcuts() { return this.#shortcut.input.checked; }

    get further() { return [this.#recording.limit, this.#shortcut.row]; }

    connectedCallback() {
        this.#end = new AbortController();
        const { signal } = this.#end;
        Object.assign(this.#recording, { session: this.session, selection: this.selection, settings: this.settings, strip: this.strip });
        this.#choices.append(this.selection, this.#panels.shot, field('Self-timer', this.#timer), this.#instant, this.#panels.cameras);
        this.append(this.#choices, this.#reason, this.#more, make('div', { class: 'fire' }, this.#recording, this.#button));
        this.#offerShortcut(this.hasShortcuts);
        this.#button.addEventListener('click', () => this.#press());
        // A held key repeats its press, and so the click.
        this.#button.addEventListener('keydown', (event) => event.repeat && event.preventDefault());
        for (const part of [this.selection, this.settings]) part.addEventListener('change', () => this.update());
        this.addEventListener('input', () => this.update());
        document.addEventListener('keydown', (event) => this.#hearKey(event), { signal });
        document.addEventListener('keyup', (event) => this.#hearRelease(event), { signal });
        this.session.rig.addEventListener('rig', () => this.update(), { signal });
        this.session.rig.addEventListener('freshness', () => this.update(), { signal });
        this.update();
    }

    disconnectedCallback() {
        this.#end.abort();
        this.#stopCountdown();
    }

    /** Says which panel is open. */
    set panel(name) {
        for (const [each, button] of Object.entries(this.#panels)) button.setAttribute('aria-expanded', String(each === name));
        // A phone has room for one of them.
        if (name) this.#showMore(false);
    }

    /** Adds a control to the choices. */
    addChoice(element) { this.#choices.append(element); }

    focusPanelButton(name) {
        const button = this.#panels[name];
        (button?.checkVisibility() ? button : this.#more).focus();
    }

    #showMore(isOpen) {
        this.classList.toggle('is-open', isOpen);
        this.#more.setAttribute('aria-expanded', String(isOpen));
    }

    #ask(name) { this.dispatchEvent(new CustomEvent('panel', { detail: name })); }

    /** A shortcut of a single letter can be switched off, for people whose software types by itself. */
    #offerShortcut(isOn) {
        localStorage.setItem('caprig.shortcut', isOn ? 'on' : 'off');
        if (isOn) this.#button.setAttribute('aria-keyshortcuts', 't Space');
        else this.#button.removeAttribute('aria-keyshortcuts');
    }

    update() {
        const { rig } = this.session;
        this.selection.cameras = rig.cameras;
        const { selected } = this.selection;
        this.settings.cameras = selected;
        setText(this.#taken, this.settings.summary);
        this.#instant.depth = rig.ringDepth(selected);
        const common = this.#obstacle(selected);
        const recordProblem = this.#recording.update(common);
        const obstacle = common ?? this.#instant.problem;
        this.#button.disabled = obstacle !== undefined && !this.#countdown;
        if (!this.#countdown) setText(this.#reason, obstacle ?? recordProblem ?? this.#stateText(selected));
    }

    #stateText(selected) {
        const { rig } = this.session;
        const live = rig.cameras.reduce((sum, { condition }) => sum + number(condition.session?.livePhotosInProgress), 0);
        const open = number(rig.status?.openShots);
        return [`${runningText(selected, 'selected camera')}.`, live ? `${counted(live, 'clip')} being recorded.` : '',
            open ? `${counted(open, 'open shot')}.` : ''].filter(Boolean).join(' ');
    }

    get #mayTrigger() { return this.session.rig.may('trigger', 'add'); }

    /** Why nothing can be triggered or recorded; undefined if it can. */
    #obstacle(selected) {
        const { rig } = this.session;
        // The bar at the top says what the trouble is.
        if (rig.trouble) return 'Not connected.';
        if (!this.#mayTrigger) return 'This session does not have the permission to trigger; sign in with a link or token that has it.';
        if (rig.isHeldByOther) return holdText(rig.status.hold, false);
        if (selected.length > 0) return undefined;
        return rig.cameras.length === 0 ? 'There is no camera to trigger.' : 'Select at least one camera: press its number.';
    }

    #hearKey(event) {
        const { key, target } = event;
        if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || !this.hasShortcuts || !this.#mayTrigger) return;
        if (takesLetters(target) || target.closest?.(openMenu) || document.querySelector('dialog[open], :popover-open')) return;
        if (key === 'Enter' && target.type === 'checkbox') {
            // The space bar triggers, so another key has to press it.
            event.preventDefault();
            if (!event.repeat) target.click();
            return;
        }
        if (key !== ' ' && key.toLowerCase() !== 't') return;
        event.preventDefault();
        this.#isSpaceTaken = key === ' ';
        if (!event.repeat) this.#press();
    }

    /** Some browsers press a button when the space bar is let go. */
    #hearRelease(event) {
        if (event.key !== ' ' || !this.#isSpaceTaken) return;
        this.#isSpaceTaken = false;
        event.preventDefault();
    }

    /** Triggers, now or after the self-timer; a press while that runs stops it. */
    #press() {
        if (this.#countdown) {
            this.#stopCountdown();
            this.update();
            return;
        }
        this.update();
        if (this.#button.disabled) return;
        const seconds = Number(this.#timer.value);
        if (seconds === 0) this.#trigger();
        else this.#count(seconds);
    }

    #count(seconds) {
        this.#stopCountdown();
        if (seconds === 0) {
            this.update();
            this.#trigger();
            return;
        }
        this.#countdown = setTimeout(() => this.#count(seconds - 1), 1000);
        this.#button.classList.add('counts');
        setText(this.#word, `${seconds} …`);
        setText(this.#reason, `Triggers in ${seconds} s. Press again to stop.`);
    }

    #stopCountdown() {
        clearTimeout(this.#countdown);
        this.#countdown = undefined;
        this.#button.classList.remove('counts');
        setText(this.#word, 'Trigger');
    }

    /** Triggers once. The id is made here, and nothing is sent again later. */
    async #trigger() {
        if (this.#button.disabled) return;
        const request = shotRequest({ selection: this.selection, settings: this.settings, instant: this.#instant });
        const progress = this.strip.begin(request.shot);
        try {
            await this.session.gateway.send('POST', 'shots', request, capturePatience);
        } catch (problem) {
            progress.say(problem.text(unknownRequest));
        }
    }
}

customElements.define('caprig-trigger-bar', TriggerBar);
