// What to do while the rig has no camera.

import './key-invitation.js';
import { make } from './elements.js';

/** Set `session` before it is connected. */
class FirstRun extends HTMLElement {
    connectedCallback() {
        const step = (...parts) => make('li', {}, ...parts);
        const code = (text) => make('code', { text });
        const invitation = () => Object.assign(document.createElement('caprig-invitation'), { session: this.session, isForNode: true });
        this.append(make('h2', { text: 'No camera has joined the rig.' }),
            make('p', { text: 'A machine with cameras is a node. To add one:' }),
            make('ol', {}, step('Install Caprig on the machine, and plug its cameras in.'),
                this.session.rig.may('admin')
                    ? step('Make a join code here; it is for one machine. Then run the command that appears on that machine.', invitation())
                    : step('Make a join code on the machine of the coordinator: ', code('capctl node invite NAME')),
                !this.session.rig.may('admin') && step('Run on the node what that prints: ', code('capagentd join CODE')),
                step('Start the agent there: ', code('sudo systemctl enable --now capagentd'))),
            make('p', { class: 'note', text: 'Its cameras appear here by themselves.' }));
    }
}

customElements.define('caprig-first-run', FirstRun);
