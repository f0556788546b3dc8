// Numbers of the API as values, and values as text for people.

/** An integer of 64 bits, which arrives as a decimal string or as a number. Undefined if it is neither. */
export function integer(value) {
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
    if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
    return undefined;
}

/** An integer as a `Number`, exact below 2^53; 0 if it is absent. */
export function number(value) {
    return Number(integer(value) ?? 0n);
}

/** An integer in the form in which JSON carries it without loss: a number if it is exact, otherwise a string. */
export function jsonInteger(value) {
    const exact = Number(value);
    return Number.isSafeInteger(exact) ? exact : String(value);
}

const durations = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']];

/** A duration in nanoseconds with three figures and its unit; `–` if it is unknown. */
export function durationText(value, { signed = false } = {}) {
    const nanoseconds = integer(value);
    if (nanoseconds === undefined) return '–';
    const size = Math.abs(Number(nanoseconds));
    const sign = nanoseconds < 0n ? '−' : signed ? '+' : '';
    const [scale, unit] = durations.find(([limit]) => size >= limit) ?? [1, 'ns'];
    const figure = size / scale;
    const digits = scale === 1 || figure >= 100 ? 0 : figure >= 10 ? 1 : 2;
    return `${sign}${figure.toFixed(digits)} ${unit}`;
}

/** A clock that runs on from a duration in nanoseconds that was told at an instant of the page's own clock: `0:07`, `1:02:03`. */
export function clockText(nanoseconds, told) {
    const seconds = Math.floor(number(nanoseconds) / 1e9 + (performance.now() - told) / 1000);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const two = (count) => String(count).padStart(2, '0');
    return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Seconds as an age for people: `0.4 s`, `12 s`, `3 min`, `2 h`, `5 d`. */
export function ageText(seconds) {
    if (!Number.isFinite(seconds)) return 'unknown';
    const age = Math.max(0, seconds);
    if (age < 9.95) return `${age.toFixed(1)} s`;
    if (age < 99.5) return `${Math.round(age)} s`;
    if (age < 5400) return `${Math.round(age / 60)} min`;
    if (age < 129600) return `${Math.round(age / 3600)} h`;
    return `${Math.round(age / 86400)} d`;
}

const sizes = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];

/** A number of bytes with its unit; `–` if it is unknown. */
export function byteText(value) {
    const bytes = integer(value);
    if (bytes === undefined) return '–';
    const size = Number(bytes);
    const [scale, unit] = sizes.find(([limit]) => Math.abs(size) >= limit) ?? [1, 'B'];
    return `${(size / scale).toFixed(scale === 1 || size / scale >= 100 ? 0 : 1)} ${unit}`;
}

/** `1 camera`, `2 cameras`. */
export function counted(count, noun, plural = `${noun}s`) {
    return `${count} ${count === 1 ? noun : plural}`;
}

/** `2 shots and 1 take`, for a number of both together. */
export function countedShots(count, takes) {
    return [count - takes && counted(count - takes, 'shot'), takes && counted(takes, 'take')].filter(Boolean).join(' and ');
}

/** The moment of a date of the API. Browsers read three of its nine decimals. */
export function moment(text) {
    const date = new Date(String(text).replace(/(\.\d{3})\d+/, '$1'));
    return Number.isNaN(date.getTime()) ? undefined : date;
}

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const instants = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** The day of a date, in the time zone of the browser. */
export function dayText(text) {
    const date = moment(text);
    return date ? days.format(date) : String(text);
}

const calendarDays = new Intl.DateTimeFormat('sv-SE');

/** The same of a `Date`, as `2026-11-21`. */
export function localDay(date) { return calendarDays.format(date); }

/** The time of day of a date. */
export function timeText(text) {
    const date = moment(text);
    return date ? times.format(date) : String(text);
}

/** Day and time of a date, with the zone. */
export function instantText(text) {
    const date = moment(text);
    return date ? instants.format(date) : String(text);
}
