// A list of cards: a name with what it is, facts, and what can be done.

import { foreignText, make } from './elements.js';

/** The facts that are known, as a list of terms; a value is text or an element. */
export function facts(entries) {
    return make('dl', { class: 'facts' }, entries.filter(([, value]) => value !== undefined && value !== '')
        .flatMap(([name, value]) => [make('dt', { text: name }), make('dd', {}, value instanceof Node ? value : foreignText(String(value)))]));
}

/** One card of a list. */
export function listCard(name, about, entries, ...actions) {
    return make('li', { class: 'card' }, make('div', { class: 'head' }, foreignText(name, 'h3'), foreignText(about ?? '')), facts(entries),
        make('div', { class: 'actions' }, actions));
}

/** A fingerprint, cut short until it has the focus or the pointer. */
export const fingerprintCode = (fingerprint) => make('code', { class: 'fingerprint', tabindex: '0', text: fingerprint });
