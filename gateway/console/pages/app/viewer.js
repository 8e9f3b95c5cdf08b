// @ts-check
// An image with boxes and points over it, which can be moved and zoomed. The list beside it has the
// same content as text, for people who cannot see the image.
import { cls, html, percent, plain, useEffect, useRef, useState } from './lib.js';
import { Cross } from './ui.js';

const maxZoom = 16;
const maxFit = 2; // a small image does not fill a large window
const step = 60; // pixels per arrow key

/**
 * A box over the image.
 * @typedef {{id: string, layer: string, x: number, y: number, width: number, height: number, title: string}} Mark
 */

/** Boxes below a point, the smallest first. @param {Mark[]} marks */
export const marksAt = (marks, x, y) =>
  marks.filter((m) => x >= m.x && y >= m.y && x < m.x + m.width && y < m.y + m.height).sort((a, b) => a.width * a.height - b.width * b.height);

/**
 * @param {{url: string, alt: string, width: number, height: number, marks: Mark[], point?: any, chosen?: string,
 *   onChoose: (id: string) => void, onHover?: (mark: Mark | undefined, x: number, y: number) => void, label: string}} of
 */
export const Viewer = ({ url, alt, width, height, marks, point, chosen, onChoose, onHover, label }) => {
  const frame = useRef(/** @type {any} */ (null));
  const [view, setView] = useState({ x: 0, y: 0, zoom: 1 });
  const drag = useRef(/** @type {any} */ (null));
  const fit = () => {
    if (!frame.current) return; // it is already removed
    const box = frame.current.getBoundingClientRect();
    const zoom = Math.min(box.width / width, box.height / height, maxFit) || 1;
    setView({ zoom, x: (box.width - width * zoom) / 2, y: (box.height - height * zoom) / 2 });
  };
  useEffect(() => {
    fit();
    const watch = new ResizeObserver(fit);
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [url, width, height]);
  const zoomBy = (factor, at) =>
    setView((v) => {
      const box = frame.current.getBoundingClientRect();
      const [cx, cy] = at ?? [box.width / 2, box.height / 2];
      const zoom = Math.min(maxZoom, Math.max(0.05, v.zoom * factor));
      return { zoom, x: cx - ((cx - v.x) * zoom) / v.zoom, y: cy - ((cy - v.y) * zoom) / v.zoom };
    });
  useEffect(() => {
    const wheel = (e) => {
      if (!e.ctrlKey && !e.metaKey && document.activeElement !== frame.current) return; // the page scrolls
      e.preventDefault();
      const box = frame.current.getBoundingClientRect();
      zoomBy(Math.exp(-e.deltaY / 400), [e.clientX - box.x, e.clientY - box.y]);
    };
    const at = frame.current;
    at.addEventListener('wheel', wheel, { passive: false });
    return () => at.removeEventListener('wheel', wheel);
  }, []);
  const target = point ?? marks.find((m) => m.id === chosen);
  useEffect(() => {
    if (!target || !frame.current) return;
    const [x, y] = 'width' in target ? [target.x + target.width / 2, target.y + target.height / 2] : [target.x, target.y];
    setView((v) => centred(v, frame.current.getBoundingClientRect(), x, y));
  }, [point, chosen]);
  const onPicture = (e) => {
    const box = frame.current.getBoundingClientRect();
    return [(e.clientX - box.x - view.x) / view.zoom, (e.clientY - box.y - view.y) / view.zoom];
  };
  const move = (e) => {
    if (drag.current) {
      const { from, view: v } = drag.current;
      if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > 3) drag.current.moved = true;
      setView({ zoom: v.zoom, x: v.x + e.clientX - from[0], y: v.y + e.clientY - from[1] });
      return;
    }
    const [x, y] = onPicture(e);
    onHover?.(marksAt(marks, x, y)[0], x, y);
  };
  const up = (e) => {
    const was = drag.current;
    drag.current = null;
    if (!was || was.moved) return;
    const [x, y] = onPicture(e);
    const pile = marksAt(marks, x, y);
    if (pile.length > 0) onChoose(pile[(pile.findIndex((m) => m.id === chosen) + 1) % pile.length].id); // the next of the pile
  };
  const key = (e) => {
    const by = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[e.key];
    if (by) setView((v) => ({ ...v, x: v.x + by[0], y: v.y + by[1] }));
    else if (e.key === '+' || e.key === '=') zoomBy(1.25);
    else if (e.key === '-') zoomBy(0.8);
    else if (e.key === '0') fit();
    else return;
    e.preventDefault();
  };
  return html`<div class="viewer">
    <div class=${cls('frame', drag.current && 'moving')} ref=${frame} tabindex="0" role="application" aria-label=${`${label}. Arrow keys move it, plus and minus zoom, 0 fits it.`}
      onKeyDown=${key} onPointerDown=${(e) => { e.currentTarget.setPointerCapture(e.pointerId); drag.current = { from: [e.clientX, e.clientY], view }; }}
      onPointerMove=${move} onPointerUp=${up} onPointerCancel=${() => (drag.current = null)} onPointerLeave=${() => onHover?.(undefined, 0, 0)}>
      <div class="sheet" style=${{ width: `${width}px`, height: `${height}px`, transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})` }}>
        <img src=${url} alt=${alt} width=${width} height=${height} draggable=${false} class=${cls(view.zoom > 3 && 'sharp')} />
        <${Boxes} marks=${marks} chosen=${chosen} width=${width} height=${height} />
        ${point && html`<svg viewBox=${`0 0 ${width} ${height}`} aria-hidden="true"><${Cross} point=${point} size=${12 / view.zoom} /></svg>`}
      </div>
    </div>
    <div class="zoom" role="group" aria-label="Zoom">
      <button class="small" onClick=${() => zoomBy(0.8)} aria-label="Zoom out">−</button>
      <output>${percent(view.zoom)}</output>
      <button class="small" onClick=${() => zoomBy(1.25)} aria-label="Zoom in">+</button>
      <button class="small" onClick=${fit}>Fit</button>
    </div>
  </div>`;
};

/** Moves a view so that a point of the image is visible. */
function centred(v, box, x, y) {
  const [at, top] = [v.x + x * v.zoom, v.y + y * v.zoom];
  const seen = at > 20 && top > 20 && at < box.width - 20 && top < box.height - 20;
  return seen ? v : { ...v, x: box.width / 2 - x * v.zoom, y: box.height / 2 - y * v.zoom };
}

/** The boxes. They render only when they change, not while the image moves. */
const Boxes = memo(({ marks, chosen, width, height }) => html`<svg viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">
  ${marks.map((m) => html`<rect key=${m.id} class=${cls('mark', m.layer, m.id === chosen && 'chosen')} x=${m.x} y=${m.y} width=${m.width} height=${m.height} rx="2" />`)}
</svg>`, ['marks', 'chosen', 'width', 'height']);

/** A component that renders only when one of the named props changes. @param {(props: any) => any} part @param {string[]} names */
function memo(part, names) {
  return (props) => {
    const before = useRef(/** @type {any} */ (null));
    if (!before.current || names.some((n) => before.current.props[n] !== props[n])) before.current = { props, made: part(props) };
    return before.current.made;
  };
}

/** A box in one line. @param {Mark | undefined} mark */
export const hoverLine = (mark, x, y) => (mark ? `${plain(mark.title)} · ${mark.x}, ${mark.y}, ${mark.width} × ${mark.height}` : x || y ? `${Math.floor(x)}, ${Math.floor(y)}` : 'Select a box for details');
