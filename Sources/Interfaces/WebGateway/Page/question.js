// A question before something is done that cannot be taken back, in a dialog.

import { freshID, make } from './elements.js';

/**
 * Asks, and waits for the answer. `text`: paragraphs that say what will happen; `fields`: further elements; `verb`: the button
 * that agrees. Returns whether the person agrees. Escape and `Cancel` do not. The focus returns to where it was.
 */
export function ask({ title, text, fields = [], verb }) {
    return new Promise((resolve) => {
        const head = make('h2', { id: freshID('question'), tabindex: '-1', dir: 'auto', text: title });
        const texts = text.map((part) => (part instanceof Node ? part : make('p', { dir: 'auto', text: part })));
        const about = make('div', { id: freshID('about') }, texts);
        const form = make('form', { method: 'dialog' }, head, about, ...fields,
            make('div', { class: 'toolbar' }, make('button', { value: 'agreed', class: 'primary', text: verb }),
                make('button', { type: 'button', text: 'Cancel', click: () => dialog.close() })));
        const dialog = make('dialog', { class: 'question', 'aria-labelledby': head.id, 'aria-describedby': about.id }, form);
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(dialog.returnValue === 'agreed');
        });
        document.body.append(dialog);
        dialog.showModal();
        (form.querySelector('input, select') ?? head).focus();
    });
}
