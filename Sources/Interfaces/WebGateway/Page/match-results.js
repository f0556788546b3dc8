// What has become of a run that matches or locks cameras, and of each of them.

import { badge, describeMatchOutcome } from './conditions.js';
import { foreignText, make } from './elements.js';
import { counted } from './quantities.js';

const isGood = ({ outcome }) => outcome === 'matched' || outcome === 'locked';

/** A part as percent, with a sign. */
function percent(part) {
    const text = (Math.abs(part) * 100).toFixed(1);
    return `${part < 0 ? '−' : '+'}${text} %`;
}

/** How a run stands, as sentences. */
export function matchSummary({ state, principal, report }) {
    const { cameras, kind, lightChange, reference, tolerance } = report;
    const [done, doing] = kind === 'lock' ? ['locked', 'Locking'] : ['matched', 'Matching'];
    const under = cameras.filter(({ outcome }) => outcome === 'underWay').length;
    if (state === 'cancelling') return 'Cancelling: what is being set is waited for.';
    if (state === 'underWay') {
        if (reference?.outcome === 'underWay') return `Locking the reference ${reference.device}, for ${principal}.`;
        return `${doing}, for ${principal}: ${cameras.length - under} of ${counted(cameras.length, 'camera')} done.`;
    }
    const good = cameras.filter(isGood).length;
    const sentences = [`${good} of ${counted(cameras.length, 'camera')} ${done} within ${(tolerance * 100).toFixed(1)} %.`];
    if (state === 'cancelled') sentences.unshift('Cancelled.');
    if (lightChange !== undefined && Math.abs(lightChange) > tolerance / 2) {
        sentences.push(`The light at the reference has changed by ${percent(lightChange)} since the start.`);
    }
    const means = new Set([reference, ...cameras].map((camera) => camera?.after?.linearization).filter(Boolean));
    if (means.has('assumedSRGB')) sentences.push('sRGB assumed: colors that differ from the target may deviate more.');
    return sentences.join(' ');
}

/** A list item for the reference and each camera. */
export function matchItems({ cameras, reference }) {
    const others = cameras.filter(({ device }) => device !== reference?.device);
    return [...(reference ? [item(reference, 'reference')] : []), ...others.map((camera) => item(camera))];
}

function item(camera, role) {
    const { device, outcome, iterations, before, after, reason } = camera;
    const figures = [['Before', before], ...(iterations > 0 ? [['After', after]] : [])]
        .filter(([, measured]) => measured?.residual).map(([when, { residual }]) => `${when} ${deviations(residual)}.`);
    const sentences = [
        ...(figures.length ? [`${figures.join(' ')} Set ${counted(iterations, 'time')}.`] : []), ...(reason ? [`${reason}.`] : []),
    ];
    return make('li', {}, foreignText(device, 'span', { class: 'kind' }), ' ', badge(describeMatchOutcome(outcome)), role ? ` ${role}` : undefined,
        ...sentences.map((text) => foreignText(text, 'p', { class: 'note' })));
}

/** The deviations of red, green and blue from the target. */
function deviations([red, green, blue]) {
    return `red ${percent(red)}, green ${percent(green)}, blue ${percent(blue)}`;
}
