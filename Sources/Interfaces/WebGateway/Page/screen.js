// The screen of `capctl sync calibrate`: black and white at random times, which it notes by the rig's clock and saves as a file.

import { Gateway } from './gateway.js';
import { Session } from './session.js';

const byID = (id) => document.getElementById(id);
const [main, message, start, save] = [document.querySelector('main'), ...['message', 'start', 'save'].map(byID)];
/** A switch in each slot, at a random place of its first part: never three flashes a second, however late a frame is. Milliseconds. */
const [slot, spread] = [300, 120];
/** Pings follow each other so closely that clocks drift less than `unsteadiness` in eight of them. */
const [pingInterval, unsteadiness] = [250, 300000n];
const limit = 3000;

function fail(problem) {
    message.textContent = problem.message;
    throw problem;
}

const session = new Session(await Gateway.find().catch(fail));
session.addEventListener('ended', (event) => { message.textContent = event.detail; });
let rigClock;
session.connection.addEventListener('message', ({ detail }) => {
    if (detail.type === 'rig') rigClock = detail.status?.rigClock ?? rigClock;
});
let [switches, bound, isWhite, next, running] = [[], 0n, false, 0, false];

function show(white) {
    isWhite = white;
    document.documentElement.style.background = document.body.style.background = white ? '#fff' : '#000';
}

/** `now` is when the browser began this frame, by the page's monotonic clock. */
function step(now) {
    if (!running) return;
    const rig = session.clock.now();
    if (rig !== undefined && now >= next) {
        next = Math.max((Math.floor(now / slot) + 1) * slot + Math.random() * spread, now + slot - spread);
        show(!isWhite);
        switches.push({ rigNanoseconds: `${rig - BigInt(Math.round((performance.now() - now) * 1e6))}`, white: isWhite });
        if (session.clock.bound > bound) bound = session.clock.bound;
        if (switches.length === limit) stop();
    }
    requestAnimationFrame(step);
}

function stop() {
    if (!running) return;
    running = false;
    main.hidden = false;
    for (const element of [document.documentElement, document.body]) element.style.background = element.style.cursor = '';
    if (document.fullscreenElement) document.exitFullscreen();
    const times = { rigClock, boundNanoseconds: `${bound + unsteadiness}`, switches };
    save.href = URL.createObjectURL(new Blob([JSON.stringify(times)], { type: 'application/json' }));
    save.hidden = false;
    save.focus();
    message.textContent = `${switches.length} switches, known to ±${(Number(bound + unsteadiness) / 1e6).toFixed(2)} ms.`;
}

start.addEventListener('click', async () => {
    await document.documentElement.requestFullscreen?.().catch(() => {});
    await navigator.wakeLock?.request('screen').catch(() => {});
    [switches, bound, running, main.hidden] = [[], 0n, true, true];
    document.body.style.cursor = 'none';
    requestAnimationFrame(step);
});
for (const event of ['keydown', 'pointerdown']) addEventListener(event, stop);
document.addEventListener('fullscreenchange', () => document.fullscreenElement || stop());
document.addEventListener('visibilitychange', () => document.hidden && stop());

message.textContent = '';
await session.start().catch(fail);
setInterval(() => session.connection.send(session.clock.ping()), pingInterval);
start.hidden = false;
