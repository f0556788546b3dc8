// The view Nodes: library, nodes, clocks, disks, pressure, charts and devices.

import './history-charts.js';
import { facts } from './card-list.js';
import { badge, describeLevel, describeState, rateOf, reasonText } from './conditions.js';
import { blank, foreignText, heading, make, table, update } from './elements.js';
import { byteText, counted, durationText, integer, number } from './quantities.js';

function warning(text) {
    return text ? foreignText(text, 'p', { class: 'warning' }) : undefined;
}

function countsText(counts) {
    return Object.entries(counts ?? {}).filter(([, count]) => number(count) > 0)
        .map(([name, count]) => `${name} ${count}`).join(', ');
}

function libraryCard(status) {
    const silent = integer(status.librarySilentNanoseconds);
    return make('article', { class: 'card' }, make('h3', { text: 'Coordinator' }),
        warning(status.libraryProblem),
        warning(silent === undefined ? '' : `The library's disk has not answered for ${durationText(silent)}. Files wait in the nodes' spools.`),
        facts([
            ['Library, free', byteText(status.libraryFreeBytes)], ['Open shots', String(number(status.openShots))],
            ['Software', status.software], ['Dropped messages', countsText(status.droppedMessages)],
            ['Refused connections', countsText(status.refusedConnections)],
        ]));
}

function busWarnings(load) {
    return (load?.buses ?? []).filter((bus) => number(bus.bytesPerSecond) > number(bus.limitBytesPerSecond)).map((bus) =>
        warning(`USB bus ${bus.number}: its cameras need ${byteText(bus.bytesPerSecond)}/s, it carries about ${byteText(bus.limitBytesPerSecond)}/s.`));
}

function nodeCard(node, rigNow) {
    const heard = integer(node.lastHeardRigNanoseconds);
    const pressure = node.pressure;
    return make('article', { class: 'card' },
        make('div', { class: 'head' }, make('h3', { text: node.node }), badge(describeLevel(node.connected ? 'connected' : 'away'))),
        warning(node.spoolShortage), warning(pressure?.reason), ...busWarnings(node.load),
        facts([
            ['Cameras running', `${node.devicesRunning} of ${counted(number(node.devices), 'device')}`],
            ['Clock', node.clockBoundNanoseconds === undefined ? 'not synchronized' : `± ${durationText(node.clockBoundNanoseconds)}`],
            ['Frames reach back', durationText(node.ringDepthNanoseconds)],
            ['Spool', `${byteText(node.spoolUsedBytes)} used, ${byteText(node.spoolFreeBytes)} free`],
            ['Pressure', pressure ? badge(describeLevel(pressure.level)) : 'not reported'],
            ['Streams', node.load ? `${byteText(node.load.streamBytesPerSecond)}/s` : undefined],
            ['Heard', heard === undefined || rigNow === undefined ? 'never' : `${durationText(rigNow > heard ? rigNow - heard : 0n)} ago`],
            ['Software', node.software],
        ]));
}

function deviceRow({ device, condition }) {
    const { counters = {} } = condition;
    const lost = ['droppedByDevice', 'flaggedErroneous', 'torn', 'droppedByNode']
        .reduce((sum, name) => sum + number(counters[name]), 0);
    const { format } = condition;
    const formatText = format ? `${format.pixelFormat} ${format.width}×${format.height} ${rateOf(condition).text}` : '';
    return make('tr', {}, make('td', {}, foreignText(device.id)), make('td', {}, badge(describeState(condition.state))),
        make('td', { text: formatText }), make('td', { text: `${lost}` }), make('td', { text: `${number(counters.stalls)}` }),
        make('td', {}, foreignText(reasonText(condition) || device.purpose || '')));
}

/** Set `session` before it is connected. */
class NodesView extends HTMLElement {
    #nodes = make('div', { class: 'cards' });
    #devices = make('tbody');
    #table = table('Devices', 'scroll', ['Device', 'State', 'Format', 'Lost frames', 'Stalls', 'Purpose or reason'], this.#devices);
    #nothing = blank('No camera or microphone', 'Those of a node appear here when it joins the rig. The view ', make('a', { href: '#live', text: 'Live' }), ' shows how one joins.');
    #end;

    connectedCallback() {
        this.#end = new AbortController();
        this.append(heading('Nodes'), this.#nodes, Object.assign(document.createElement('caprig-history'), { session: this.session }),
            make('section', {}, make('h2', { text: 'Devices' }), this.#nothing, this.#table));
        this.session.rig.addEventListener('rig', () => this.#update(), { signal: this.#end.signal });
        this.#update();
    }

    disconnectedCallback() { this.#end.abort(); }

    #update() {
        const { status, devices } = this.session.rig;
        if (!status) return;
        const now = integer(status.rigNowNanoseconds);
        update(this.#nodes, [libraryCard(status), ...(status.nodes ?? []).map((node) => nodeCard(node, now))]);
        update(this.#devices, devices.map(deviceRow));
        this.#nothing.hidden = devices.length > 0;
        this.#table.hidden = devices.length === 0;
    }
}

customElements.define('caprig-nodes', NodesView);
