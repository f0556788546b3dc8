// Making elements. Text of the rig only ever becomes a text node, so markup in it stays text.

const namespace = 'http://www.w3.org/2000/svg';

/** What acts on the text around it instead of being shown: separators of lines, and what changes the direction of text. */
const unprintable = /[\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/** A text as it may be shown, whoever has written it. */
const printable = (text) => String(text).replace(unprintable, '\uFFFD');

function apply(element, properties) {
    for (const [name, value] of Object.entries(properties)) {
        if (value === undefined || value === null || value === false) continue;
        if (typeof value === 'function') element.addEventListener(name, value);
        else if (name === 'text') element.textContent = printable(value);
        else if (name === 'value') element.value = value;
        else if (name === 'checked') element.checked = value;
        else element.setAttribute(name, value === true ? '' : printable(value));
    }
}

/**
 * An element with attributes, listeners (members that are functions) and children. The member `text` sets its text.
 */
export function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    const present = children.flat().filter((child) => child !== undefined && child !== null && child !== false);
    element.append(...present.map((child) => child instanceof Node ? child : printable(child)));
    apply(element, properties);
    return element;
}

/** The same for SVG. */
export function makeDrawing(tag, properties = {}, ...children) {
    const element = document.createElementNS(namespace, tag);
    element.append(...children);
    apply(element, properties);
    return element;
}

/** A picture of the page's own beside a text that says the same. */
export function icon(name) {
    return makeDrawing('svg', { class: 'icon', 'aria-hidden': 'true' }, makeDrawing('use', { href: `icons.svg#${name}` }));
}

/** Text that people or devices have written: its direction follows from its letters. */
export function foreignText(text, tag = 'span', properties = {}) {
    return make(tag, { dir: 'auto', ...properties, text });
}

/** Sets the text of an element if it differs, so that an unchanged live region stays silent. */
export function setText(element, text) {
    const shown = printable(text);
    if (element.textContent !== shown) element.textContent = shown;
}

/** Replaces the children that differ, and leaves the others, with what is selected or read in them. */
export function update(parent, children) {
    children.forEach((child, index) => {
        const present = parent.children[index];
        if (!present) parent.append(child);
        else if (!present.isEqualNode(child)) present.replaceWith(child);
    });
    while (parent.childElementCount > children.length) parent.lastElementChild.remove();
}

const ids = { next: 0 };

/** An id for an element of this page. */
export function freshID(prefix) {
    ids.next += 1;
    return `${prefix}-${ids.next}`;
}

/** A control with its label and, if given, a description below it. */
export function field(label, control, description) {
    control.id ||= freshID('field');
    const parts = [make('label', { for: control.id, text: label }), control];
    if (description) {
        const note = foreignText(description, 'p', { class: 'note', id: freshID('note') });
        control.setAttribute('aria-describedby', note.id);
        parts.push(note);
    }
    return make('div', { class: 'field' }, ...parts);
}

/** A checkbox or radio button in front of its label; `note` says more, for instance why it is disabled. */
export function choice(label, properties, note) {
    const input = make('input', { type: 'checkbox', id: freshID('choice'), ...properties });
    const row = make('div', { class: 'choice' }, input, make('label', { for: input.id, dir: 'auto', text: label }));
    if (note) {
        const text = foreignText(note, 'span', { class: 'note', id: freshID('note') });
        input.setAttribute('aria-describedby', text.id);
        row.append(text);
    }
    return { row, input };
}

/** A select with options `[value, text]`. */
export function picker(options, value, properties = {}) {
    const select = make('select', properties, options.map(([key, text]) => make('option', { value: key, text })));
    select.value = value;
    return select;
}

/** Inputs in which a letter is not text. */
const letterless = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit'];

/** Whether a letter that is typed in an element is text there, or chooses something, so that it is not a shortcut. */
export function takesLetters(element) {
    const control = element.closest?.('input, select, textarea');
    return control ? !letterless.includes(control.type) : element.isContentEditable === true;
}

/** A table in a region that scrolls, with the names of its columns and a `tbody`. `kind` is the region's class. */
export function table(label, kind, names, rows) {
    return make('div', { class: kind, tabindex: '0', role: 'region', 'aria-label': label },
        make('table', {}, make('thead', {}, make('tr', {}, names.map((text) => make('th', { scope: 'col', text })))), rows));
}

/** What is shown in place of a list without entries: that there are none, and what would fill it. */
export function blank(head, ...parts) {
    return make('div', { class: 'blank' }, make('p', {}, make('strong', { text: head })), make('p', {}, ...parts));
}

/** What opens below its own summary, and closes with Escape or a press elsewhere. */
export function menu(summary, ...content) {
    const details = make('details', { class: 'menu' }, make('summary', {}, summary), make('div', {}, ...content));
    const close = (event) => details.contains(event.target) || details.removeAttribute('open');
    details.addEventListener('toggle', () => {
        if (details.open) document.addEventListener('pointerdown', close);
        else document.removeEventListener('pointerdown', close);
    });
    details.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape' || !details.open) return;
        details.open = false;
        details.firstChild.focus();
    });
    return details;
}

/** The heading of a view, which receives the focus when the view opens. */
export function heading(text) {
    return make('h1', { tabindex: '-1', dir: 'auto', text });
}

/** A picture that is loaded when it comes into view; `absent` takes its place if there is none. */
export function smallPicture(source, text, absent) {
    const image = make('img', { src: source, alt: text, loading: 'lazy', decoding: 'async' });
    image.addEventListener('error', () => image.replaceWith(absent), { once: true });
    return image;
}
