// What has become of a settings transaction at each camera.

import { badge, describeSettingsOutcome } from './conditions.js';
import { foreignText, make } from './elements.js';
import { counted, durationText, integer } from './quantities.js';

/** A transaction is answered when its frames have been seen; milliseconds. */
export const settingsPatience = 120_000;

/** How many cameras of a report have its settings. After an undo, one that has forgotten what waited for its start has its own. */
export function having({ cameras, undoes }) {
    return cameras.filter(({ effect, outcome }) => effect || (undoes && outcome === 'undone')).length;
}

/** The number of cameras that have the settings, as a sentence. */
export function summary(report) {
    const count = having(report);
    const what = report.undoes ? 'earlier settings' : 'settings';
    return `${count} of ${counted(report.cameras.length, 'camera')} ${count === 1 ? 'has' : 'have'} the ${what}.`;
}

/** A list item for each camera. */
export function resultItems({ cameras, timeRigNanoseconds }) {
    return cameras.map((camera) => item(camera, integer(timeRigNanoseconds)));
}

function item({ device, outcome, effect, entries, problem }, time) {
    const sentences = [
        ...entries.filter(({ result }) => result === 'rounded').map(({ entry, value }) => `${entry} is rounded to ${value}.`),
        ...(problem ? [problem.message] : []), ...(effect ? [effectText(effect, time)] : []),
    ];
    return make('li', {}, foreignText(device, 'span', { class: 'kind' }), ' ', badge(describeSettingsOutcome(outcome)),
        ...sentences.map((text) => foreignText(text, 'p', { class: 'note' })));
}

/** From which frame on the pictures have the settings. */
function effectText({ evidence, firstNew, acceptedRigNanoseconds }, time) {
    const after = (instant) => `${durationText((integer(instant) ?? 0n) - (time ?? 0n), { signed: true })} from T`;
    if (evidence === 'unchanged') return 'It had them before.';
    if (!firstNew) return `Accepted ${after(acceptedRigNanoseconds)}; from which frame on is not known.`;
    return `From frame ${firstNew.sequence} on, ${after(firstNew.rigNanoseconds)} (${evidence}).`;
}
