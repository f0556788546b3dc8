// The grid of the wall. Pure functions.

/** The gap between tiles, CSS pixels. */
export const gap = 6;
/** Narrower tiles show too little; the wall scrolls instead. */
const least = 132;
/** Tiles of this width can be read without a look at the large view. */
const legible = 170;
/** How much narrower two columns may be than one that leaves the sides of a phone empty. */
const narrowest = 0.6;

/** How wide tiles of `aspect` are in `columns`, if all of them fit into the window. */
function widthOf(columns, { count, width, height, aspect }) {
    const rows = Math.ceil(count / columns);
    return Math.min((width - gap * (columns - 1)) / columns, ((height - gap * (rows - 1)) / rows) * aspect);
}

/** The columns and the width of the tiles that waste the least of the window. */
export function bestGrid(window) {
    let best = { columns: 1, width: 0 };
    for (let columns = 1; columns <= window.count; columns += 1) {
        const width = widthOf(columns, window);
        if (width > best.width) best = { columns, width };
    }
    // A phone has no place for three legible tiles beside each other.
    const [isPhone, pair] = [window.width < 3 * legible + 2 * gap, widthOf(2, window)];
    if (isPhone && best.columns === 1 && pair >= Math.max(legible, narrowest * best.width)) best = { columns: 2, width: pair };
    if (best.width >= least || window.count === 0) return { columns: best.columns, width: Math.floor(best.width) };
    const columns = Math.max(1, Math.floor((window.width + gap) / (least + gap)));
    return { columns, width: Math.floor((window.width - gap * (columns - 1)) / columns) };
}
