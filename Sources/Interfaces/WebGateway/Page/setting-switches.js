// Automatic modes and locks as switches. Pure functions.

import { title } from './setting-words.js';

/** Values of a mode that other values than a switch's give. */
const ofSwitches = new Set(['auto', 'manual', 'locked', 'on', 'off']);
/** Without its control, a lock is the present value under manual control. */
const lockControl = '3a_lock';

/**
 * The switches of a setting whose values are words: `label`, the values `on` and `off`, and whether one of the cameras `isOn`. `able` are
 * what the cameras that support it say of it. Without `auto` there is nothing to switch.
 */
export function switchesOf(name, able) {
    const choices = new Set(able.flatMap((setting) => setting.choices));
    if (choices.has('on') && choices.has('off')) return [{ label: title(name), on: 'on', off: 'off', isOn: ({ current }) => current === 'on' }];
    if (!choices.has('auto') || !(choices.has('manual') || choices.has('locked'))) return [];
    const subject = title(name).replace(/ mode$/, '').toLowerCase();
    const held = ['manual', 'locked'];
    const switches = [{
        label: `Automatic ${subject}`, on: 'auto', off: choices.has('manual') ? 'manual' : 'locked', isOn: ({ current }) => !held.includes(current),
    }];
    if (choices.has('locked')) {
        switches.push({
            label: `Lock ${subject}`, on: 'locked', off: 'auto',
            isOn: ({ current, controls }) => current === 'locked' || (current === 'manual' && !controls.includes(lockControl)),
        });
    }
    return switches;
}

/** The values that no switch gives. */
export function furtherChoices(choices) {
    return choices.filter((choice) => !ofSwitches.has(choice));
}
