// The grid of the wall. Pure functions.

/** The gap between tiles, CSS pixels. */
export const gap = 6;
/** Narrower tiles show too little; the wall scrolls instead. */
const least = 132;

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
    if (best.width >= least || window.count === 0) return { columns: best.columns, width: Math.floor(best.width) };
    const columns = Math.max(1, Math.floor((window.width + gap) / (least + gap)));
    return { columns, width: Math.floor((window.width - gap * (columns - 1)) / columns) };
}
