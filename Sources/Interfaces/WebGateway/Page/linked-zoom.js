// Zoom and pan that several pictures share. Pure functions.

const most = 64;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** The whole picture. `zoom` counts from the size at which it fits; `x` and `y` are the point in the middle, as shares of the picture. */
export const whole = { zoom: 1, x: 0.5, y: 0.5 };

/** Keeps the view on the picture. */
function bounded({ zoom, x, y }) {
    const size = clamp(zoom, 1, most);
    const margin = 0.5 / size;
    return { zoom: size, x: clamp(x, margin, 1 - margin), y: clamp(y, margin, 1 - margin) };
}

/** Zooms by `factor`, so that the point at the shares `x` and `y` of what is seen stays where it is. */
export function zoomed(view, factor, x = 0.5, y = 0.5) {
    const zoom = clamp(view.zoom * factor, 1, most);
    const moved = 1 / view.zoom - 1 / zoom;
    return bounded({ zoom, x: view.x + (x - 0.5) * moved, y: view.y + (y - 0.5) * moved });
}

/** Moves the view by shares of what is seen. */
export function panned(view, x, y) {
    return bounded({ ...view, x: view.x + x / view.zoom, y: view.y + y / view.zoom });
}

/** The CSS transform of a picture of `width` × `height` CSS pixels that fits its frame. */
export function transformOf({ zoom, x, y }, width, height) {
    return `scale(${zoom}) translate(${(0.5 - x) * width}px, ${(0.5 - y) * height}px)`;
}
