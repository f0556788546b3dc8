// The conditions of cameras, captures and files, each with a shape and a word: never by color alone.

import { counted, number } from './quantities.js';

const cameraStates = {
    running: ['●', 'Running', 'good'],
    starting: ['◔', 'Starting', 'wait'],
    stalled: ['▲', 'Stalled', 'bad'],
    absent: ['✕', 'Absent', 'bad'],
    busy: ['▲', 'Busy', 'bad'],
    denied: ['✕', 'Denied', 'bad'],
    stopped: ['■', 'Stopped', 'idle'],
    failed: ['✕', 'Failed', 'bad'],
    unreachable: ['◌', 'Unreachable', 'bad'],
    notConfigured: ['◌', 'Not configured', 'idle'],
};

const interruptions = {
    deviceAbsent: 'the device is absent',
    inUseByAnotherClient: 'another program uses it',
    noBandwidth: 'its bus has no bandwidth left',
    accessRevoked: 'access was revoked',
    largerPhoto: 'it takes a larger still',
    nodeSuspended: 'its machine stood still',
    systemPressure: 'its machine is overloaded',
};

const outcomes = {
    pending: ['◔', 'Pending', 'wait'],
    preparing: ['◔', 'Preparing', 'wait'],
    armed: ['◔', 'Armed', 'wait'],
    captured: ['◑', 'Captured', 'wait'],
    open: ['◔', 'Open', 'wait'],
    done: ['●', 'Done', 'good'],
    complete: ['●', 'Complete', 'good'],
    late: ['◉', 'Late', 'good'],
    partial: ['◐', 'Partial', 'fair'],
    missed: ['○', 'Missed', 'bad'],
    failed: ['✕', 'Failed', 'bad'],
    ok: ['●', 'Sound', 'good'],
    missing: ['✕', 'Missing', 'bad'],
    altered: ['✕', 'Altered', 'bad'],
    stray: ['▲', 'Stray', 'fair'],
    unreadable: ['✕', 'Unreadable', 'bad'],
};

const settingsOutcomes = {
    set: ['●', 'Set', 'good'],
    rounded: ['◉', 'Rounded', 'good'],
    refused: ['○', 'Refused', 'fair'],
    undone: ['◌', 'Undone', 'fair'],
    deferred: ['◌', 'At its start', 'fair'],
    failed: ['✕', 'Failed', 'bad'],
    lost: ['✕', 'Lost', 'bad'],
};

const matchOutcomes = {
    matched: ['●', 'Matched', 'good'],
    locked: ['●', 'Locked', 'good'],
    notConverged: ['◐', 'Not converged', 'fair'],
    notSteady: ['▲', 'Not steady', 'fair'],
    refused: ['○', 'Refused', 'fair'],
    underWay: ['◔', 'Under way', 'wait'],
};

const abilities = { true: ['●', 'Available', 'good'], false: ['○', 'Not available', 'idle'] };

const levels = {
    nominal: ['●', 'Nominal', 'good'],
    fair: ['◐', 'Fair', 'fair'],
    serious: ['▲', 'Serious', 'bad'],
    critical: ['▲', 'Critical', 'bad'],
    shutdown: ['✕', 'Shutdown', 'bad'],
    connected: ['●', 'Connected', 'good'],
    away: ['◌', 'Away', 'bad'],
};

function described(table, word) {
    const [shape, text, tone] = table[word] ?? ['◇', String(word ?? 'unknown'), 'idle'];
    return { shape, text, tone };
}

export const describeState = (state) => described(cameraStates, state);
export const describeOutcome = (outcome) => described(outcomes, outcome);
export const describeSettingsOutcome = (outcome) => described(settingsOutcomes, outcome);
export const describeMatchOutcome = (outcome) => described(matchOutcomes, outcome);
export const describeAbility = (isAllowed) => described(abilities, isAllowed);
export const describeLevel = (level) => described(levels, level);

/** How many of the cameras that a node has run, as a sentence without its end; those that no node configures do not count. */
export function runningText(cameras, noun) {
    const present = cameras.filter(({ condition }) => condition.state !== 'notConfigured');
    const running = present.filter(({ condition }) => condition.state === 'running').length;
    return `${running} of ${counted(present.length, noun)} running`;
}

/** Why a camera does not run, as a sentence; empty while it runs. */
export function reasonText(condition) {
    const reason = condition.reason ?? '';
    const interruption = condition.session?.interruption;
    if (!interruption) return reason;
    const cause = `Interrupted: ${interruptions[interruption] ?? interruption}.`;
    return reason ? `${cause} ${reason}` : cause;
}

/** The rate of a camera's frames: what was measured, if its frames are apart by more than a twentieth longer than configured, as the coordinator judges. */
export function rateOf({ format, phase }) {
    const stated = number(format?.frameIntervalNanoseconds);
    const measured = number(phase?.periodNanoseconds);
    const isSlow = measured > stated * 1.05;
    const text = stated ? (1e9 / stated).toFixed(0) : '';
    return { isSlow, text: isSlow ? `${(1e9 / measured).toFixed(1)} of ${text}/s` : `${text}/s` };
}

/** An element with the shape and the word of a condition. `update` changes it. */
export class Badge {
    element = document.createElement('span');
    #shape = document.createElement('span');
    #word = document.createElement('span');

    constructor(description) {
        this.#shape.setAttribute('aria-hidden', 'true');
        this.#shape.className = 'shape';
        this.element.append(this.#shape, this.#word);
        this.update(description);
    }

    update({ shape, text, tone }) {
        if (this.#word.textContent === text) return;
        this.#shape.textContent = shape;
        this.#word.textContent = text;
        this.element.className = `badge badge-${tone}`;
    }
}

/** The element of a badge that does not change. */
export const badge = (description) => new Badge(description).element;
