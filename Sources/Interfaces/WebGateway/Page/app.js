// The page: signs in or says how, shows the connection, and opens the views by the fragment of the address.

import { heading, icon, make, setText } from './elements.js';
import { Gateway } from './gateway.js';
import { ageText } from './quantities.js';
import { Session } from './session.js';
import './audit-log.js';
import './event-log.js';
import './hold-menu.js';
import './keys-view.js';
import './library-view.js';
import './live-view.js';
import './nodes-view.js';
import './presence-menu.js';
import './result-view.js';

const views = {
    live: ['caprig-live', 'Live'],
    shot: ['caprig-result', 'Result'],
    library: ['caprig-library', 'Library'],
    nodes: ['caprig-nodes', 'Nodes'],
    events: ['caprig-events', 'Events'],
    keys: ['caprig-keys', 'Keys'],
    audit: ['caprig-audit', 'Audit'],
};
const byID = (id) => document.getElementById(id);
const [content, navigation, connectionText, connectionAge] =
    ['content', 'views', 'connection-text', 'connection-age'].map(byID);

/** The view and its argument in `#view/argument?filters`. */
function address() {
    const [path, query = ''] = location.hash.replace(/^#/, '').split('?');
    const [name, ...rest] = path.split('/');
    return { name: name in views ? name : 'live', argument: rest.join('/'), filters: new URLSearchParams(query) };
}

function open(session, moveFocus) {
    const { name, argument, filters } = address();
    const [tag, title] = views[name];
    const view = document.createElement(tag);
    Object.assign(view, { session, argument, filters });
    document.title = `${title} – ${session.gateway.rig}`;
    for (const link of navigation.children) {
        const isCurrent = link.dataset.view === (name === 'shot' ? 'library' : name);
        // It leads to the list with the filters that it was left with.
        if (isCurrent && name === 'library') link.href = location.hash || '#library';
        if (isCurrent) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
    }
    content.firstElementChild?.leave?.(name);
    content.replaceChildren(view);
    if (!moveFocus) return;
    view.querySelector('h1')?.focus();
    content.scrollTo(0, 0);
}

/** Says why what is shown is old, and how old; the age is not part of the live region, which would read it on and on. */
function showFreshness(session) {
    const { rig } = session;
    const trouble = session.isOver ? undefined : rig.trouble;
    document.body.classList.toggle('is-old', rig.isOld && !rig.isBeginning);
    setText(connectionText, session.isOver ? '' : trouble ?? 'Connected');
    setText(connectionAge, trouble && rig.status ? `What is shown is ${ageText(rig.age)} old.` : '');
}

/** Replaces everything by the reason and the way to sign in again. */
function showSignIn(reason, title) {
    navigation.hidden = true;
    document.querySelectorAll('caprig-presence, caprig-hold').forEach((menu) => { menu.hidden = true; });
    document.body.classList.remove('is-old');
    document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close());
    setText(connectionText, '');
    setText(connectionAge, '');
    const head = heading(title);
    content.replaceChildren(make('section', { class: 'notice' }, head,
        make('p', { role: 'alert', dir: 'auto', text: reason }),
        make('p', {}, 'To sign in, run ', make('code', { text: 'capctl web login' }),
            ' on a machine that has joined the rig, and open the link that it prints.')));
    head.focus();
    document.title = `${title} – Caprig`;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Repeats what fails only because nothing answers, or because the gateway asks for patience. */
async function persist(act) {
    for (let delay = 500; ; delay = Math.min(delay * 2, 5000)) {
        try {
            return await act();
        } catch (problem) {
            if (!problem.isUnreachable && problem.status !== 503) throw problem;
            setText(connectionText, problem.message);
            await pause(delay);
        }
    }
}

function showFrame(session) {
    const offered = Object.entries(views).filter(([name]) => name !== 'shot' && (name !== 'audit' || session.rig.may('admin')));
    navigation.append(...offered.map(([name, [, title]]) => make('a', { href: `#${name}`, 'data-view': name }, icon(name), make('span', { text: title }))));
    navigation.hidden = false;
    document.querySelector('caprig-hold').session = session;
    document.querySelector('caprig-presence').session = session;
}

async function run() {
    const gateway = await persist(() => Gateway.find());
    setText(byID('rig-name'), gateway.rig);
    const session = new Session(gateway);
    session.addEventListener('ended', (event) => showSignIn(event.detail, 'Signed out'));
    await persist(() => session.start());
    showFrame(session);
    session.rig.addEventListener('freshness', () => showFreshness(session));
    setInterval(() => session.rig.isOld && showFreshness(session), 500);
    addEventListener('hashchange', () => session.isOver || open(session, true));
    showFreshness(session);
    open(session, false);
}

byID('skip').addEventListener('click', (event) => {
    event.preventDefault();
    content.focus();
});
run().catch((problem) => showSignIn(problem.message, problem.status === 401 ? 'Not signed in' : 'Not available'));
