// The hold of the rig: whose it is and how long it lasts; taking, releasing and overriding it.

import { field, icon, make, menu, picker, setText } from './elements.js';
import { integer, timeText } from './quantities.js';
import { ask } from './question.js';

const lengths = [['60', '1 min'], ['300', '5 min'], ['600', '10 min'], ['1800', '30 min'], ['3600', '1 h'], ['14400', '4 h']];

/** A sentence about a hold, for this session's rig. */
export function holdText({ holder, ends, note }, isOwn) {
    return `${isOwn ? 'You hold' : `${holder} holds`} the rig until ${timeText(ends)}${note ? `: ${note}` : ''}.`;
}

/** `9 min 41 s`, rounded up. */
function restText(nanoseconds) {
    const seconds = Number((nanoseconds + 999_999_999n) / 1_000_000_000n);
    return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Set `session` once; it is in the page before that. */
class HoldMenu extends HTMLElement {
    #session;
    #shown;
    #text = make('p', { role: 'status', class: 'spoken', dir: 'auto' });
    /** No part of the live region, which would read it on and on; the text has the end. */
    #rest = make('span', { 'aria-hidden': 'true' });
    #holder = make('span', { class: 'names', dir: 'auto' });
    #told = make('p', { dir: 'auto' });
    #take = make('button', { type: 'button', class: 'plain', 'aria-label': 'Hold the rig', title: 'Keep others from triggering',
        click: () => this.#ask() }, icon('hold'), make('span', { text: 'Hold' }));
    #renew = make('button', { type: 'button', text: 'Go on holding', click: () => this.#ask() });
    #release = make('button', { type: 'button', text: 'Release', click: () => this.#send('DELETE', 'hold') });
    #override = make('button', { type: 'button', text: 'Override', click: () => this.#confirm() });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #menu = menu([icon('hold'), this.#holder, this.#rest], this.#told,
        make('div', { class: 'actions' }, this.#renew, this.#release, this.#override));

    set session(session) {
        this.#session = session;
        this.append(this.#text, this.#take, this.#menu, this.#answer);
        session.rig.addEventListener('rig', () => this.#update());
        session.addEventListener('ended', () => { this.hidden = true; });
        setInterval(() => this.#showRest(), 250);
        this.#update();
    }

    get #hold() { return this.#session.isOver ? undefined : this.#session.rig.status?.hold; }

    #update() {
        const { rig } = this.#session;
        const hold = this.#hold;
        const isOwn = hold !== undefined && !rig.isHeldByOther;
        const mayHold = rig.may('trigger', 'configure');
        this.classList.toggle('is-held', hold !== undefined);
        this.#say(hold, isOwn);
        const hadFocus = this.contains(document.activeElement) && this.#take.hidden !== (hold !== undefined);
        this.#take.hidden = hold !== undefined;
        this.#menu.hidden = hold === undefined;
        if (hold === undefined) this.#menu.open = false;
        if (hadFocus) (hold ? this.#menu.firstChild : this.#take).focus();
        this.#renew.hidden = !isOwn || !mayHold;
        this.#release.hidden = !isOwn;
        this.#override.hidden = !rig.isHeldByOther || !rig.may('admin');
        this.hidden = this.#session.isOver || !rig.status || (hold === undefined && !mayHold);
        this.#showRest();
    }

    /** The date of the end follows the coordinator's wall clock, which moves; that alone is not news. */
    #say(hold, isOwn) {
        const shown = hold && [hold.holder, hold.endsRigNanoseconds, hold.note].join('\n');
        if (shown === this.#shown) return;
        this.#shown = shown;
        for (const place of [this.#text, this.#told]) setText(place, hold ? holdText(hold, isOwn) : '');
        setText(this.#holder, isOwn ? 'You hold' : hold?.holder ?? '');
        setText(this.#answer, '');
    }

    /** By the rig's clock: this browser's may be wrong. */
    #showRest() {
        const [end, now] = [integer(this.#hold?.endsRigNanoseconds), this.#session.clock.now()];
        const rest = end === undefined || now === undefined ? undefined : end - now;
        setText(this.#rest, rest === undefined ? '' : `${restText(rest > 0n ? rest : 0n)} left`);
    }

    async #ask() {
        const hold = this.#hold;
        const length = picker(lengths, '600');
        const note = make('input', { type: 'text', dir: 'auto', maxlength: '120', autocomplete: 'off', value: hold?.note ?? '' });
        const agrees = await ask({
            title: hold ? 'Go on holding the rig' : 'Hold the rig', verb: 'Hold',
            text: ['Until the hold ends, nobody else can trigger, record or change cameras.'],
            fields: [field('For', length), field('What for', note, 'Shown to whoever is refused.')],
        });
        if (agrees) await this.#send('PUT', 'hold', { duration: `${length.value}000000000`, note: note.value });
    }

    /** An override ends the hold that was shown, and none that begins after it. */
    async #confirm() {
        const hold = this.#hold;
        if (!hold) return;
        const text = [holdText(hold, false), 'The audit log records that you have ended it.'];
        const agrees = await ask({ title: `End the hold of ${hold.holder}?`, text, verb: 'End the hold' });
        if (agrees) await this.#send('DELETE', `hold?overrides=${encodeURIComponent(hold.holder)}`);
    }

    async #send(method, path, body) {
        setText(this.#answer, '');
        try {
            await this.#session.gateway.send(method, path, body);
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
    }
}

customElements.define('caprig-hold', HoldMenu);
