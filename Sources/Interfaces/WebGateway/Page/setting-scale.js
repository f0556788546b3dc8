// The range of a setting as the positions of a slider. Pure functions on the text of settings, such as `8ms` or `-48dB`.

const nanoseconds = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
/** Positions of a slider whose values are apart by a factor. */
const positions = 1000;

function parse(text) {
    const [, figure, unit] = /^(-?\d+(?:\.\d+)?)([a-zA-Z%]*)$/.exec(text ?? '') ?? [];
    return figure === undefined ? undefined : { value: Number(figure), unit };
}

const inNanoseconds = (text) => {
    const parsed = parse(text);
    return parsed && parsed.value * (nanoseconds[parsed.unit] ?? NaN);
};

/** A step of 1, 2 or 5 times a power of ten, so that there are about 200. */
function niceStep(range) {
    const power = 10 ** Math.floor(Math.log10(range / 200));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= range / 200);
}

const short = (value) => String(Number(value.toPrecision(4)));

function durationText(value) {
    const [unit, size] = value >= 1e9 ? ['s', 1e9] : value >= 1e6 ? ['ms', 1e6] : ['us', 1e3];
    return short(value / size) + unit;
}

/** Durations: equal ways of the slider multiply equally. */
function durationScale({ minimum, maximum, step }) {
    const [low, high, grain] = [inNanoseconds(minimum), inNanoseconds(maximum), inNanoseconds(step)];
    if (!(low > 0 && high > low)) return undefined;
    const rounded = (value) => (grain > 0 ? Math.round(value / grain) * grain : value);
    return {
        min: 0, max: positions, step: 1,
        positionOf: (text) => Math.round((positions * Math.log(inNanoseconds(text) / low)) / Math.log(high / low)),
        textOf: (position) => durationText(Math.min(high, Math.max(low, rounded(low * (high / low) ** (position / positions))))),
    };
}

function evenScale({ minimum, maximum, step }) {
    const [low, high] = [parse(minimum), parse(maximum)];
    if (!low || !high || low.unit !== high.unit || !(high.value > low.value)) return undefined;
    return {
        min: low.value, max: high.value, step: parse(step)?.value || niceStep(high.value - low.value),
        positionOf: (text) => parse(text)?.value,
        textOf: (position) => short(Number(position)) + low.unit,
    };
}

/** The scale of a driver's whole numbers, with the same members: wide ranges multiply equally. Undefined if a slider cannot show them. */
export function integerScale({ minimum, maximum, step }) {
    const [low, high, grain] = [minimum, maximum, step ?? 1].map(Number);
    if (![low, high].every(Number.isSafeInteger) || !(high > low && grain > 0)) return undefined;
    if (low <= 0 || high / low < positions) return { min: low, max: high, step: grain, positionOf: Number, textOf: String };
    return {
        min: 0, max: positions, step: 1,
        positionOf: (text) => Math.round((positions * Math.log(Number(text) / low)) / Math.log(high / low)),
        textOf: (position) => String(Math.min(high, low + Math.round((low * ((high / low) ** (position / positions) - 1)) / grain) * grain)),
    };
}

/** The scale of a setting with `minimum`, `maximum` and `step`; undefined if a slider cannot show it. `positionOf` is not finite for other texts. */
export const scaleOf = (setting) => durationScale(setting) ?? evenScale(setting);
