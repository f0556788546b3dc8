// Settings in words for people. A transaction records earlier values as values of the driver's controls; they read as settings again
// where the driver states their unit, and as the driver's numbers elsewhere. Pure functions.

/** `whiteBalanceTemperature` for people. */
export function title(name) {
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value with a space before its unit and few decimals: `8 ms` for `8ms`, `100 µs` for `100us`; the driver's number for `raw:37`. */
export function valueText(text) {
    const [, figure, unit] = /^([+-]?\d+(?:\.\d+)?)([a-zA-Z%°]+)$/.exec(text) ?? [];
    if (figure === undefined) return text.replace(/^raw:/, '');
    const short = figure.length > 7 && figure.includes('.') ? Number(Number(figure).toPrecision(5)) : figure;
    return `${short} ${unit === 'us' ? 'µs' : unit}`;
}

/** The entries `NAME=VALUE` of a text. */
const entriesOf = (text) => text.split(' ').filter(Boolean).map((entry) => entry.split(/=(.*)/s).slice(0, 2));

const automatic = ['manual', 'auto'];
/** Words for the values of the controls of modes, which V4L2 and its virtual counterpart number. */
const modes = {
    auto_exposure: ['auto', 'manual', 'shutterPriority', 'aperturePriority'], exposure_auto: ['auto', 'manual', 'shutterPriority', 'aperturePriority'],
    white_balance_automatic: automatic, white_balance_temperature_auto: automatic, focus_automatic_continuous: automatic, focus_auto: automatic,
};
const seconds = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']];

/** A number of a driver's unit, such as `100 µs`. */
function physical(value, unit) {
    const [, factor, name] = /^(\d+)? ?([^\d ]+)$/.exec(unit) ?? [];
    const scale = seconds.find(([, each]) => each === name)?.[0];
    if (scale === undefined) return `${value} ${unit}`;
    const time = value * (factor ?? 1) * scale;
    const [size, shown] = seconds.find(([least]) => time >= least * 0.999) ?? seconds[2];
    return `${Number((time / size).toPrecision(6))} ${shown}`;
}

/** A number as percent of the driver's range, in the direction in which the setting counts. */
function share(value, { minimum, maximum, value: present }, { current }) {
    const part = (number) => (100 * (number - minimum)) / (maximum - minimum);
    const isInverted = Math.abs(part(present) - parseFloat(current)) > 1;
    return `${Number((isInverted ? 100 - part(value) : part(value)).toFixed(1))} %`;
}

/** A value of a driver's control as name and value of the setting that has the control. `details`: what the camera says of itself. */
function ofDriver(control, value, details) {
    const setting = details?.settings.find(({ controls }) => controls.includes(control));
    if (!setting) return [`driver.${control}`, value];
    const mode = modes[control]?.[value];
    if (mode) return [setting.name, setting.choices.includes(mode) ? mode : 'auto'];
    const known = details.controls.find(({ name }) => name === control);
    if (setting.minimum === '0%' && !setting.choices.length && known) return [setting.name, share(Number(value), known, setting)];
    return [setting.name, known?.unit ? physical(Number(value), known.unit) : value];
}

/** What entries set, by the names of the settings. */
function valuesOf(text, details) {
    return new Map(entriesOf(text).map(([name, value]) => {
        return name.startsWith('driver.') ? ofDriver(name.slice(7), value.replace(/^raw:/, ''), details) : [name, valueText(value)];
    }));
}

/**
 * What was changed at a camera, such as `Gain 0 dB → 6 dB, exposure mode auto → manual`. `steps` are its parts of one change, oldest first, each
 * with `settings` and, where known, `earlier`.
 */
export function changeText(steps, details) {
    const before = new Map(steps.toReversed().flatMap(({ earlier }) => [...valuesOf(earlier ?? '', details)]));
    const after = new Map(steps.flatMap(({ settings }) => [...valuesOf(settings, details)]));
    // A value that is set switches off the mode that has chosen it.
    for (const [name, value] of before) if (value === 'auto' && !after.has(name)) after.set(name, 'manual');
    const parts = [...after].filter(([name, value]) => before.get(name) !== value || after.size === 1)
        .map(([name, value]) => `${title(name)} ${before.has(name) ? `${before.get(name)} ` : ''}→ ${value}`);
    return parts.join(', ') || 'No change';
}
