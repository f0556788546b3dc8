// Thumbnails of the library: a shot's document is asked for when its row comes into view, a few at a time.

import { make, smallPicture } from './elements.js';
import { readShot } from './shot-document.js';

const atOnce = 3;
const perShot = 4;

/** Loads the pictures of rows that are in view. */
export class Thumbnails {
    #waiting = [];
    #running = 0;
    #rows = new WeakMap();
    #observer;

    /** `root` is what scrolls. */
    constructor(gateway, root) {
        this.gateway = gateway;
        this.#observer = new IntersectionObserver((entries) => this.#seen(entries), { root, rootMargin: '200px' });
    }

    /** Shows pictures of a shot in `place` once that is in view. */
    observe(place, shot) {
        this.#rows.set(place, shot);
        this.#observer.observe(place);
    }

    end() {
        this.#observer.disconnect();
        this.#waiting = [];
    }

    #seen(entries) {
        for (const { target, isIntersecting } of entries) {
            if (!isIntersecting) {
                this.#waiting = this.#waiting.filter((place) => place !== target);
            } else if (!this.#waiting.includes(target)) {
                this.#waiting.push(target);
            }
        }
        this.#proceed();
    }

    #proceed() {
        while (this.#running < atOnce && this.#waiting.length) {
            const place = this.#waiting.shift();
            this.#observer.unobserve(place);
            this.#running += 1;
            this.#load(place).finally(() => {
                this.#running -= 1;
                this.#proceed();
            });
        }
    }

    async #load(place) {
        try {
            const shot = readShot(await this.gateway.get(`shots/${encodeURIComponent(this.#rows.get(place))}`));
            const pictured = shot.captures.filter(({ thumbnail }) => thumbnail);
            place.replaceChildren(...pictured.slice(0, perShot).map(({ thumbnail, device }) =>
                smallPicture(this.gateway.url(thumbnail), device, make('span', { class: 'note', text: `no picture of ${device}` }))));
            if (pictured.length > perShot) place.append(make('span', { class: 'more', text: `+${pictured.length - perShot}` }));
            if (pictured.length === 0) place.append(make('span', { class: 'note', text: 'no picture' }));
        } catch (problem) {
            place.replaceChildren(make('span', { class: 'note', text: problem.message }));
        }
    }
}
