// The settings of a shot. What no selected camera supports is disabled, with the reason.

import { choice, field, make, picker, setText } from './elements.js';
import { counted, integer, jsonInteger } from './quantities.js';

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

/** Each setting that is checked or not: its ability, whether all cameras must have it, and what it adds to the document. */
const choices = [
    { name: 'livePhoto', label: 'Clip of three seconds', ability: 'live', isDefault: true },
    { name: 'raw', label: 'Raw file beside the photo', ability: 'raw' },
    {
        name: 'maxPhotoDimensions', label: 'Largest still; interrupts the streams', ability: 'largerPhoto', needsAll: true,
        value: (cameras) => ({ width: largest(cameras, 'width'), height: largest(cameras, 'height') }),
    },
    { name: 'previewSize', label: 'Preview at once', isDefault: true },
];

const firstOption = ([[value]]) => value;

const numberInput = (min, max, value = '') => make('input', { type: 'number', min, max, step: '1', value, inputmode: 'numeric' });

/**
 * The settings below "More", each with its control. `ability`: at least one camera must have it. `value` is what the text of the control adds
 * to the document; undefined adds nothing.
 */
const further = [
    {
        name: 'flash', label: 'Light', ability: 'flash',
        options: [['', 'As it is'], ['off', 'Off'], ['on', 'On'], ['auto', 'On if the newest frame is dark']],
    },
    {
        name: 'bracket', label: 'Bracket', control: () => make('input', { type: 'text', placeholder: '2, 8@10, @20' }),
        note: 'Up to 5 pictures: exposures in milliseconds, @ before a gain in the camera\'s units.', value: bracketOf,
    },
    { name: 'quality', label: 'JPEG quality, if the node encodes', control: () => numberInput(1, 100), value: Number },
    {
        name: 'embedThumbnail', label: 'Thumbnail in the still', options: [['', 'None'], ['whole', 'Whole picture'], ['square', 'Central square']],
    },
    { name: 'previewSide', label: 'Longer side of the preview, pixels', control: () => numberInput(16, 4096, '320') },
    { name: 'codec', label: 'Stills', options: [['', 'JPEG'], ['heic', 'JPEG and HEIC']] },
    {
        name: 'livePhotoFrom', label: 'Clips', ability: 'live',
        options: [['whereEnabled', 'Of cameras that can take one'], ['required', 'Of all cameras; refuse others']],
    },
    { name: 'clipCodec', label: 'Clips are stored', ability: 'live', options: [['', 'As delivered'], ['mjpeg', 'Motion JPEG'], ['h264', 'H.264']] },
    { name: 'motionPhoto', label: 'Still and clip in one file', ability: 'live', options: [['', 'No'], ['true', 'Yes']], value: () => true },
    {
        name: 'rawFrom', label: 'Raw files', ability: 'raw',
        options: [
            ['withPhotoWhereEnabled', 'Beside the photo, of cameras that have them'], ['withPhoto', 'Beside the photo; refuse others'],
            ['only', 'Instead of the photo; refuse others'],
        ],
    },
    {
        name: 'rawThumbnail', label: 'Picture in the samples, longer side', ability: 'raw', control: () => numberInput(0, 4096),
        note: '16 to 4096 pixels; 0 is none, and empty is 1024.',
        value: (text) => (Number(text) === 0 ? { codec: 'none' } : { longerSide: Number(text) }),
    },
];

function largest(cameras, side) {
    return Math.max(...cameras.map(({ condition }) => condition.session?.largerPhoto?.dimensions?.[side] ?? 0));
}

/** A bracket as the document has it. What is not a number stays in the document, and the rig says what is wrong with it. */
function bracketOf(text) {
    const number = (word, scale) => (word === '' || !Number.isFinite(Number(word)) ? word : Math.round(Number(word) * scale));
    return text.split(',').map((step) => {
        const [exposure, gain] = step.split('@').map((word) => word.trim());
        return {
            exposureNanoseconds: exposure === '' && gain !== undefined ? undefined : number(exposure, 1e6),
            gain: gain === undefined ? undefined : number(gain, 1),
        };
    });
}

/** Set `cameras`, the selected ones. `document(cameras)` is the member `settings` of a request. */
class ShotSettings extends HTMLElement {
    #choices = new Map();
    #further = new Map();
    #requireAll = choice('Cancel unless every camera is ready', {});

    connectedCallback() {
        const rows = choices.map((setting) => {
            const { row, input } = choice(setting.label, { checked: setting.isDefault ?? false }, ' ');
            this.#choices.set(setting.name, { input, note: row.querySelector('.note') });
            return row;
        });
        const more = further.map((setting) => {
            const input = setting.control?.() ?? picker(setting.options, firstOption(setting.options));
            this.#further.set(setting.name, input);
            return field(setting.label, input, setting.note);
        });
        this.append(make('fieldset', {}, make('legend', { text: 'Settings' }), ...rows, this.#requireAll.row,
            make('details', {}, make('summary', { text: 'More' }), ...more)));
        this.cameras = [];
    }

    set cameras(cameras) {
        for (const setting of choices) {
            const { input, note } = this.#choices.get(setting.name);
            const refused = setting.ability ? refusals(cameras, setting.ability) : [];
            const isPossible = cameras.length > 0
                && (setting.needsAll ? refused.length === 0 : refused.length < cameras.length || !setting.ability);
            input.disabled = !isPossible;
            const prefix = isPossible && refused.length ? 'Not with ' : '';
            setText(note, cameras.length === 0 ? notSelected : prefix + refusalText(refused));
        }
        for (const { name, ability } of further) {
            const refused = ability ? refusals(cameras, ability).length : 0;
            this.#further.get(name).disabled = cameras.length === 0 || (ability !== undefined && refused === cameras.length);
        }
    }

    /** What the selected cameras take, in few words. */
    get summary() {
        const parts = [
            this.#isChosen('raw') && this.#text('rawFrom') === 'only' ? '' : 'still', this.#isChosen('livePhoto') && 'clip', this.#isChosen('raw') && 'RAW',
            this.#text('bracket') && 'bracket', this.#isChosen('maxPhotoDimensions') && 'largest',
        ];
        return parts.filter(Boolean).join(' + ');
    }

    get requireAll() { return this.#requireAll.input.checked; }

    document(cameras) {
        const settings = {
            livePhoto: this.#isChosen('livePhoto') ? this.#text('livePhotoFrom') : undefined,
            raw: this.#isChosen('raw') ? this.#text('rawFrom') : undefined,
            previewSize: this.#isChosen('previewSize') ? Number(this.#text('previewSide')) || 320 : undefined,
        };
        for (const { name, value } of choices) {
            if (value && this.#isChosen(name)) settings[name] = value(cameras);
        }
        const ofClips = ['clipCodec', 'motionPhoto'];
        for (const { name, value = (text) => text } of further) {
            const isMeaningless = (ofClips.includes(name) && !settings.livePhoto) || (name === 'rawThumbnail' && !settings.raw);
            if (['previewSide', 'livePhotoFrom', 'rawFrom'].includes(name) || isMeaningless) continue;
            const text = this.#text(name);
            if (text) settings[name] = value(text);
        }
        return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    }

    /**
     * The lead that a shot needs, nanoseconds: what larger stills need, and time to set the cameras for a light or a bracket. Undefined for as
     * soon as possible.
     */
    lead(cameras) {
        const { flash, bracket, maxPhotoDimensions } = this.document(cameras);
        const settingTime = 500_000_000n;
        const isSet = bracket !== undefined || flash === 'on' || flash === 'auto';
        if (!maxPhotoDimensions) return isSet ? settingTime : undefined;
        const leads = cameras.map(({ condition }) => integer(condition.session?.largerPhoto?.leadNanoseconds) ?? 0n);
        return leads.reduce((most, lead) => (lead > most ? lead : most), 0n) + settingTime;
    }

    #isChosen(name) {
        const { input } = this.#choices.get(name);
        return input.checked && !input.disabled;
    }

    /** What is in a control, without spaces around it; empty if it is disabled. */
    #text(name) {
        const input = this.#further.get(name);
        return input.disabled ? '' : input.value.trim();
    }
}

customElements.define('caprig-settings', ShotSettings);

/** When the shot is wanted: as soon as possible, or seconds back. */
class ShotTime extends HTMLElement {
    #back = make('input', { type: 'number', min: '0', step: '0.1', value: '0', inputmode: 'decimal' });
    #depth = 0;

    connectedCallback() {
        this.append(field('Seconds back', this.#back, ' '));
        this.note = this.querySelector('.note');
        this.note.classList.add('spoken');
        this.depth = 0;
    }

    /** How far back the frames reach, seconds. */
    set depth(seconds) {
        this.#depth = seconds;
        const text = seconds > 0 ? `The frames of the selected cameras reach back ${seconds.toFixed(1)} s.` : '';
        setText(this.note, `0 is as soon as possible. ${text}`);
        this.title = this.note.textContent;
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
        return seconds > 0 ? { relative: { nanoseconds: jsonInteger(-Math.round(seconds * 1e9)) } } : undefined;
    }
}

customElements.define('caprig-instant', ShotTime);
