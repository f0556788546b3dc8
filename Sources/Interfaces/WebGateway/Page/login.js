// The sign-in page. The secret of the link is used up only when a person presses the button.

import { setText } from './elements.js';
import { Gateway } from './gateway.js';

const [rigName, message, form, submit, help] =
    ['rig', 'message', 'form', 'submit', 'help'].map((id) => document.getElementById(id));

/** Reads the secret, and removes it from the address bar and from the history. */
function takeSecret() {
    const secret = decodeURIComponent(location.hash.replace(/^#/, ''));
    if (secret) history.replaceState(null, '', location.pathname + location.search);
    return secret;
}

function showHelp(text) {
    setText(message, text);
    form.hidden = true;
    help.hidden = false;
}

/** Shows what the link can still do. */
function offer(secret) {
    if (secret) {
        setText(message, 'The link is valid for one sign-in.');
        form.hidden = false;
        help.hidden = true;
        submit.focus();
        return;
    }
    showHelp('This address has no secret, so it cannot sign in.');
}

const link = { secret: '' };
let gateway;

/** Asks for the rig until there was an answer. */
async function find() {
    gateway ??= await Gateway.find();
    return gateway;
}

function read() {
    try {
        link.secret = takeSecret();
    } catch {
        link.secret = '';
    }
    offer(link.secret);
}

async function signIn(event) {
    event.preventDefault();
    if (submit.disabled) return;
    submit.disabled = true;
    setText(message, 'Signing in …');
    try {
        await (await find()).send('POST', 'login', { secret: link.secret });
        link.secret = '';
        location.replace('./');
    } catch (problem) {
        if (problem.isUnreachable || problem.status === 503) {
            setText(message, problem.message);
        } else {
            link.secret = '';
            showHelp(problem.message);
        }
    } finally {
        submit.disabled = false;
    }
}

form.addEventListener('submit', signIn);
addEventListener('hashchange', read);
read();
find().then(
    () => {
        setText(rigName, gateway.rig);
        document.title = `Sign in – ${gateway.rig}`;
    },
    (problem) => setText(message, problem.message));
