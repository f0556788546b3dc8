// The settings of a shot. What no selected camera supports is disabled, with the reason.

import { choice, field, make, setText } from './elements.js';
import { counted, integer } from './quantities.js';

const notSelected = 'No camera is selected.';

/** The cameras that do not allow something, each with its reason. */
function refusals(cameras, ability) {
    return cameras.map(({ device, condition }) => ({ id: device.id, ...condition.session?.abilities?.[ability] }))
        .filter(({ isAllowed }) => !isAllowed)
        .map(({ id, reason }) => ({ id, reason: reason ?? 'its session is not known' }));
}

/** Refusals as one text: a reason with its cameras. */
export function refusalText(refused) {
    const groups = Map.groupBy(refused, ({ reason }) => reason);
    return [...groups].map(([reason, members]) => {
        const names = members.length > 3 ? counted(members.length, 'camera') : members.map(({ id }) => id).join(', ');
        return `${names}: ${reason}`;
    }).join('; ');
}

/**
 * Each setting: its ability, whether all cameras must have it, and what it adds to the request: `value`, or `otherwise` if
 * somebody unchecked it.
 */
const settings = [
    {
        name: 'livePhoto', label: 'Clip of three seconds', ability: 'live', value: () => true, otherwise: false,
        isDefault: true,
    },
    { name: 'raw', label: 'Sensor samples (DNG) beside the photo', ability: 'raw', value: () => 'withPhoto' },
    {
        name: 'maxPhotoDimensions', label: 'Largest still; interrupts the streams', ability: 'largerPhoto', needsAll: true,
        value: (cameras) => ({ width: largest(cameras, 'width'), height: largest(cameras, 'height') }),
    },
    { name: 'previewSize', label: 'Preview at once', value: () => 320, isDefault: true },
];

function largest(cameras, side) {
    return Math.max(...cameras.map(({ condition }) => condition.session?.largerPhoto?.dimensions?.[side] ?? 0));
}

/** Set `cameras`, the selected ones. `document(cameras)` is the member `settings` of a request. */
class ShotSettings extends HTMLElement {
    #choices = new Map();
    #requireAll = choice('Cancel unless every camera is ready', {});

    connectedCallback() {
        const rows = settings.map((setting) => {
            const { row, input } = choice(setting.label, { checked: setting.isDefault ?? false }, ' ');
            this.#choices.set(setting.name, { input, note: row.querySelector('.note') });
            return row;
        });
        this.append(make('fieldset', {}, make('legend', { text: 'Settings' }), ...rows, this.#requireAll.row));
        this.cameras = [];
    }

    set cameras(cameras) {
        for (const setting of settings) {
            const { input, note } = this.#choices.get(setting.name);
            const refused = setting.ability ? refusals(cameras, setting.ability) : [];
            const isPossible = cameras.length > 0
                && (setting.needsAll ? refused.length === 0 : refused.length < cameras.length || !setting.ability);
            input.disabled = !isPossible;
            const prefix = isPossible && refused.length ? 'Not with ' : '';
            setText(note, cameras.length === 0 ? notSelected : prefix + refusalText(refused));
        }
    }

    get requireAll() { return this.#requireAll.input.checked; }

    document(cameras) {
        const members = settings.map(({ name, value, otherwise }) => {
            const { input } = this.#choices.get(name);
            if (!input.checked) return [name, otherwise];
            return [name, input.disabled ? undefined : value(cameras)];
        });
        return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }

    /** The lead that larger stills need, nanoseconds; undefined without them. */
    lead(cameras) {
        const { input } = this.#choices.get('maxPhotoDimensions');
        if (!input.checked || input.disabled) return undefined;
        const leads = cameras.map(({ condition }) => integer(condition.session?.largerPhoto?.leadNanoseconds) ?? 0n);
        return leads.reduce((most, lead) => (lead > most ? lead : most), 0n) + 500_000_000n;
    }
}

customElements.define('caprig-settings', ShotSettings);

/** When the shot is wanted: as soon as possible, or seconds back. */
class ShotTime extends HTMLElement {
    #back = make('input', { type: 'number', min: '0', step: '0.1', value: '0', inputmode: 'decimal' });
    #depth = 0;

    connectedCallback() {
        const row = field('Seconds back', this.#back, ' ');
        this.note = row.querySelector('.note');
        this.append(make('fieldset', {}, make('legend', { text: 'Instant' }), row));
        this.depth = 0;
    }

    /** How far back the frames reach, seconds. */
    set depth(seconds) {
        this.#depth = seconds;
        const text = seconds > 0 ? `The frames of the selected cameras reach back ${seconds.toFixed(1)} s.` : '';
        setText(this.note, `0 is as soon as possible. ${text}`);
    }

    /** Why the instant cannot be used; undefined if it can. */
    get problem() {
        const seconds = Number(this.#back.value || 0);
        if (!Number.isFinite(seconds) || seconds < 0 || this.#back.validity.badInput) {
            return 'Give the seconds back as a number that is not negative.';
        }
        if (this.#depth > 0 && seconds > this.#depth) return `The frames reach back only ${this.#depth.toFixed(1)} s.`;
        return undefined;
    }

    /** The member `time` of a request; undefined for as soon as possible. */
    get document() {
        const seconds = Number(this.#back.value || 0);
        return seconds > 0 ? { relative: String(-Math.round(seconds * 1e9)) } : undefined;
    }
}

customElements.define('caprig-instant', ShotTime);
