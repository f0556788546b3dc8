// Deleting a shot, after a question that says what will be lost.

import { foreignText, make } from './elements.js';
import { byteText, integer } from './quantities.js';
import { ask } from './question.js';
import { storedFiles, storedText } from './shot-files.js';

/** Why the rig knows no other copy, without what only a command line needs. */
const shortfall = ({ message }) => /known: (.+?)\. Nothing was deleted/.exec(message)?.[1] ?? message;

/** What the rig says that would be lost. */
const lostFiles = ({ wouldDelete }) => wouldDelete?.map(({ file, byteCount }) => ({ name: file, byteCount: integer(byteCount) }));

function fileList(files) {
    return make('ul', { class: 'losses', 'aria-label': 'Files that are deleted', tabindex: '0' },
        files.map(({ name, byteCount }) => make('li', {}, foreignText(name), ` ${byteText(byteCount)}`)));
}

/**
 * Asks, and deletes a shot with all its files. If the library has the only known copy, it asks once more and names the files.
 * Returns whether it was deleted. Throws a `Problem`; with status 412 if somebody else has changed the shot since `shot.tag`.
 */
export async function deleteShot(gateway, shot) {
    const files = storedFiles(shot);
    const noun = shot.isTake ? 'take' : 'shot';
    const name = shot.title ? `the ${noun} “${shot.title}”` : `this ${noun}`;
    const isAgreed = await ask({
        title: `Delete ${name}?`, verb: `Delete ${noun}`,
        text: [`${storedText(files)} are deleted from the library, with title, note and marks. This cannot be undone.`, fileList(files)],
    });
    if (!isAgreed) return false;
    const send = (query) => gateway.exchange('DELETE', `shots/${encodeURIComponent(shot.id)}${query}`, { match: shot.tag });
    try {
        await send('');
        return true;
    } catch (problem) {
        if (problem.code !== 'onlyCopy') throw problem;
        const isCertain = await ask({
            title: 'Delete the only copy?', verb: 'Delete the only copy',
            text: [`No other complete copy of ${name} is known: ${shortfall(problem)}. These files would be lost for good:`, fileList(lostFiles(problem) ?? files)],
        });
        if (!isCertain) return false;
    }
    await send('?onlyCopy=true');
    return true;
}
