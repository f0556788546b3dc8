// Hashing the stored files of a shot again.

import { badge, describeOutcome } from './conditions.js';
import { foreignText, make } from './elements.js';
import { counted } from './quantities.js';

/** A button that verifies a shot, and the place of its findings. */
export function verification(session, shot, name) {
    const answer = make('div', { role: 'status', class: 'answer' });
    const button = make('button', { type: 'button', text: 'Verify', 'aria-label': `Verify ${name}`, click: verify });

    async function verify() {
        button.disabled = true;
        answer.replaceChildren('Verifying …');
        try {
            const path = `shots/${encodeURIComponent(shot)}/verification`;
            answer.replaceChildren(...report((await session.gateway.send('POST', path)).verifications.flatMap(({ files }) => files)));
        } catch (problem) {
            answer.replaceChildren(foreignText(problem.message));
        } finally {
            button.disabled = false;
            button.focus();
        }
    }
    return make('div', { class: 'verification' }, button, answer);
}

function report(findings) {
    const bad = findings.filter(({ finding }) => finding !== 'ok');
    if (bad.length === 0) return [`${counted(findings.length, 'file')} verified, all are sound.`];
    const items = bad.map(({ path, finding }) => make('li', {}, badge(describeOutcome(finding)), ' ', foreignText(path)));
    return [`${bad.length} of ${counted(findings.length, 'file')} ${bad.length === 1 ? 'is' : 'are'} not sound:`, make('ul', {}, items)];
}
