// Stops a camera, and starts it again.

import { make, setText } from './elements.js';
import { devicePath } from './gateway.js';

/** What can be asked of a camera in a state, and how the button says it. */
const actions = {
    stopped: ['start', 'Start'],
    failed: ['resume', 'Try again'],
    running: ['stop', 'Stop'],
    starting: ['stop', 'Stop'],
    stalled: ['stop', 'Stop'],
};

/** What `POST …/session` has not done for this camera; undefined if it has done what was asked. */
export function sessionProblem(answer, device) {
    const problem = answer?.sessions?.find((session) => session.device === device)?.problem;
    return typeof problem === 'string' ? problem : problem?.message;
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

    get #action() { return actions[this.session.rig.camera(this.device)?.condition.state]; }

    #update() {
        const [, text] = this.#action ?? [];
        const isPermitted = this.session.rig.may('configure');
        this.#button.hidden = !text || !isPermitted;
        if (!text) return;
        setText(this.#button, `${text} ${this.device}`);
        if (!isPermitted) setText(this.#answer, 'Starting and stopping need the permission to configure.');
    }

    async #act() {
        const [action] = this.#action ?? [];
        if (!action || this.session.rig.isOld) return;
        setText(this.#answer, 'Asking the node …');
        try {
            const answer = await this.session.gateway.send('POST', `devices/${devicePath(this.device)}/session`, { action });
            setText(this.#answer, sessionProblem(answer, this.device) ?? '');
        } catch (problem) {
            setText(this.#answer, problem.text('The state of the camera shows whether that was done.'));
        }
    }
}

customElements.define('caprig-camera-session', CameraSession);
