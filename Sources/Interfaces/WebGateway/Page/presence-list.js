// Who has a page of this gateway open, and what people have done lately.

import { foreignText, make, setText, update } from './elements.js';
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

/** Set `session` once; it is in the page before that. */
class PresenceList extends HTMLElement {
    #names = make('span', { dir: 'auto' });
    #people = make('ul');
    #acts = make('ul');
    #nothing = make('p', { class: 'note', text: 'Nothing since this page was opened.' });

    set session({ rig }) {
        this.append(make('details', {}, make('summary', {}, 'Present: ', this.#names),
            make('div', { class: 'menu' }, make('h2', { text: 'On this page' }), this.#people,
                make('h2', { text: 'Lately' }), this.#nothing, this.#acts)));
        this.hidden = true;
        rig.addEventListener('present', (event) => this.#show(event.detail));
        rig.addEventListener('event', (event) => this.#add(event.detail));
    }

    #show({ people = [], more = 0 }) {
        this.hidden = people.length === 0;
        setText(this.#names, names(people, more));
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

customElements.define('caprig-presence', PresenceList);
