// What can be done with one camera of the wall.

import { cameraAction, changeSession } from './camera-session.js';
import { make } from './elements.js';
import { devicePath } from './gateway.js';

/** Shows the menu of a tile below its button. `say` gets what has become of what was chosen. */
export function openTileMenu(tile, opener, say) {
    const { session, entry: { device, condition } } = tile;
    const { gateway, rig } = session;
    const picture = (kind) => gateway.url(`${kind}/${devicePath(device.id)}`);
    const close = () => popover.hidePopover();
    const item = (text, act, disabled = false) => make('button', { type: 'button', role: 'menuitem', text, disabled, click: () => { close(); act(); } });
    const name = device.id.replace('/', '.');
    const copyAddress = () => {
        const address = new URL(picture('stream'), document.baseURI).href;
        // Browsers give pages a clipboard over TLS and on the machine itself only.
        const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error('there is no clipboard'));
        copied.then(() => say('The address of the stream is copied.'), () => say(`The stream is at ${address}`));
    };
    const [action, verb] = cameraAction(condition.state) ?? [];
    const popover = make('div', { popover: 'auto', role: 'menu', class: 'popover', 'aria-label': device.id },
        item('Large view', () => tile.openLarge()), item('Full screen', () => tile.article.requestFullscreen().catch(() => {})),
        make('a', { role: 'menuitem', href: picture('snapshot'), download: `${name}.jpg`, text: 'Save snapshot', click: close }),
        item('Copy stream address', copyAddress),
        item('Settings', () => tile.dispatchEvent(new CustomEvent('set-camera', { bubbles: true, detail: device.id })), !rig.may('configure')),
        action && item(verb, async () => {
            say('Asking the node …');
            say(await changeSession(session, device.id, action));
        }, !rig.may('configure') || rig.isOld));
    popover.addEventListener('toggle', ({ newState }) => {
        if (newState !== 'closed') return;
        if (popover.contains(document.activeElement) || document.activeElement === document.body) opener.focus();
        popover.remove();
    });
    popover.addEventListener('keydown', (event) => move(popover, event));
    document.body.append(popover);
    popover.showPopover();
    const [box, size] = [opener.getBoundingClientRect(), popover.getBoundingClientRect()];
    popover.style.left = `${Math.max(4, Math.min(box.right - size.width, innerWidth - size.width - 4))}px`;
    popover.style.top = `${Math.max(4, Math.min(box.bottom, innerHeight - size.height - 4))}px`;
    popover.querySelector('[role=menuitem]').focus();
}

function move(popover, event) {
    const items = [...popover.querySelectorAll('[role=menuitem]:not(:disabled)')];
    const at = items.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === 'Tab') popover.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    items.at(next % items.length).focus();
}
