// Who has a page of this gateway open, what people have done lately, and signing out.

import { foreignText, icon, make, menu, setText, update } from './elements.js';
import { counted, timeText } from './quantities.js';

const namesShown = 3;
const keptActs = 8;
const acts = {
    'shot.accepted': 'triggered a shot', 'take.accepted': 'began a take', 'hold.taken': 'took the rig', 'hold.renewed': 'goes on holding the rig',
    'hold.released': 'released the rig', 'hold.overridden': 'ended the hold of',
};

/** `anna, ben and 3 more`. */
function names(people, more) {
    const shown = people.slice(0, namesShown).map(({ principal }) => principal).join(', ');
    const hidden = people.length - Math.min(people.length, namesShown) + more;
    return hidden > 0 ? `${shown} and ${hidden} more` : shown;
}

function personText({ principal, pages, labels = [] }) {
    const others = labels.filter((label) => label && label !== principal);
    return [principal, counted(pages, 'page'), others.join(', ')].filter(Boolean).join(' – ');
}

/** What somebody did, as a sentence; undefined for an event that is nobody's. */
function actText({ name, details = {}, realtime }) {
    const who = details.by ?? details.holder;
    if (!who || !(name in acts)) return undefined;
    return `${timeText(realtime)}: ${who} ${acts[name]}${name === 'hold.overridden' ? ` ${details.holder}` : ''}`;
}

/** `principal` is a name, or a document that has one. */
function principalName({ principal }) {
    return typeof principal === 'string' ? principal : principal?.name ?? '';
}

/** Set `session` once; it is in the page before that. */
class PresenceMenu extends HTMLElement {
    #names = make('span', { class: 'names', dir: 'auto' });
    #people = make('ul');
    #acts = make('ul');
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #nothing = make('p', { class: 'note', text: 'Nothing since this page was opened. Shots, takes and holds appear here with who has caused them.' });

    set session(session) {
        const name = principalName(session.rig.identity);
        setText(this.#names, name);
        const leave = make('button', { type: 'button', text: 'Sign out', click: () => {
            session.signOut().catch((problem) => setText(this.#answer, problem.message));
        } });
        this.append(menu([icon('people'), make('span', { class: 'long', text: 'Present: ' }), this.#names],
            make('div', { class: 'head' }, foreignText(name, 'p'), leave), this.#answer,
            make('h2', { text: 'On this page' }), this.#people, make('h2', { text: 'Lately' }), this.#nothing, this.#acts));
        this.hidden = false;
        session.rig.addEventListener('present', (event) => this.#show(event.detail));
        session.rig.addEventListener('event', (event) => this.#add(event.detail));
    }

    #show({ people = [], more = 0 }) {
        if (people.length > 0) setText(this.#names, names(people, more));
        update(this.#people, [
            ...people.map((person) => foreignText(personText(person), 'li')),
            ...(more > 0 ? [make('li', { text: `and ${more} more` })] : []),
        ]);
    }

    #add(event) {
        const text = actText(event);
        if (!text) return;
        this.#nothing.hidden = true;
        this.#acts.prepend(foreignText(text, 'li'));
        while (this.#acts.childElementCount > keptActs) this.#acts.lastElementChild.remove();
    }
}

customElements.define('caprig-presence', PresenceMenu);
