// Downloads of movies as MP4, which the gateway encodes when they are asked for.

import { freshID, make, setText } from './elements.js';

const note = 'MP4: the gateway encodes the movie, one at a time. The download begins when that is done, which may take several times as long as the movie.';
const impossible = 'MP4: this gateway cannot encode movies, since its machine has no ffmpeg.';

/** The buttons of one camera's movies, and below them what they do and what has become of it: `element`. */
export class MovieDownloads {
    #gateway;
    #note;
    #answer = make('p', { role: 'status', class: 'answer', dir: 'auto' });
    /** The paths whose download is being asked for. */
    #asked = new Set();

    constructor(gateway) {
        this.#gateway = gateway;
        this.#note = make('p', { class: 'note', id: freshID('note'), text: gateway.encodesMovies ? note : impossible });
        this.element = make('div', { hidden: true }, this.#note, this.#answer);
    }

    /** A button for a file with `name` and `mp4`. */
    button({ name, mp4 }) {
        return make('button', {
            type: 'button', text: 'Download as MP4', 'aria-label': `Download ${name} as MP4`, 'aria-describedby': this.#note.id,
            disabled: !this.#gateway.encodesMovies, click: () => this.#download(name, mp4),
        });
    }

    /** Asks whether the movie can be encoded, since a browser does not say why a download has failed, and begins it. */
    async #download(name, path) {
        if (this.#asked.has(path)) return;
        this.#asked.add(path);
        try {
            await this.#gateway.probe(path);
            const link = make('a', { href: this.#gateway.url(path), download: true, hidden: true });
            this.element.append(link);
            link.click();
            link.remove();
            setText(this.#answer, `${name} is being encoded, or waits for others. Its download begins by itself.`);
        } catch (problem) {
            setText(this.#answer, problem.message);
        }
        this.#asked.delete(path);
    }
}
