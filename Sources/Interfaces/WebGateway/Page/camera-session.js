// Stops a camera, and starts it again.

import { make, setText } from './elements.js';
import { devicePath } from './gateway.js';

/** What can be asked of a camera in a state, and how a button says it. */
const actions = {
    stopped: ['start', 'Start'],
    failed: ['resume', 'Try again'],
    running: ['stop', 'Stop'],
    starting: ['stop', 'Stop'],
    stalled: ['stop', 'Stop'],
};

/** The action for a camera in a state, and its verb; undefined if there is none. */
export const cameraAction = (state) => actions[state];

/** Asks the node; returns why that was not done, or nothing. */
export async function changeSession({ gateway }, device, action) {
    try {
        const answer = await gateway.send('POST', `devices/${devicePath(device)}/session`, { action });
        const problem = answer?.sessions?.find((session) => session.device === device)?.problem;
        return (typeof problem === 'string' ? problem : problem?.message) ?? '';
    } catch (problem) {
        return problem.text('The state of the camera shows whether that was done.');
    }
}

/** One button, whose text says what it does; it keeps the focus. Set `session` and `device` before it is connected. */
class CameraSession extends HTMLElement {
    #button = make('button', { type: 'button', click: () => this.#act() });
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    #end = new AbortController();

    connectedCallback() {
        this.append(this.#button, this.#answer);
        this.session.rig.addEventListener('rig', () => this.#update(), { signal: this.#end.signal });
        this.#update();
    }

    disconnectedCallback() { this.#end.abort(); }

    get #action() { return cameraAction(this.session.rig.camera(this.device)?.condition.state); }

    #update() {
        const [, text] = this.#action ?? [];
        const isPermitted = this.session.rig.may('configure');
        this.#button.hidden = !text || !isPermitted;
        if (!text) return;
        setText(this.#button, text);
        this.#button.setAttribute('aria-label', `${text} ${this.device}`);
        if (!isPermitted) setText(this.#answer, 'Starting and stopping need the permission to configure.');
    }

    async #act() {
        const [action] = this.#action ?? [];
        if (!action || this.session.rig.isOld) return;
        setText(this.#answer, 'Asking the node …');
        setText(this.#answer, await changeSession(this.session, this.device, action));
    }
}

customElements.define('caprig-camera-session', CameraSession);
