// What can be seen on the page that is open: its elements, with their roles, boxes and states.

// pageElements runs in a page and returns its elements, containers before their content. Boxes are in
// pixels of the picture, of which there are `scale` for each CSS pixel.
export function pageElements(scale) {
  const ATOMS = new Set(['checkbox', 'radio', 'switch', 'slider', 'progress']); // nothing of theirs is listed apart
  const CONTROLS = new Set(['field', 'dropdown', 'checkbox', 'radio', 'switch', 'slider', 'progress']);
  const ACTED = new Set(['button', 'link', 'field', 'dropdown', 'checkbox', 'radio', 'switch', 'slider', 'tab', 'item', 'scrollbar', 'splitter']);
  const GROUPS = new Set(['panel', 'toolbar', 'sidebar', 'titlebar', 'row', 'cell']);
  const W = innerWidth, H = innerHeight;
  const list = [], pieces = [];
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

  // Boxes are [left, top, right, bottom] in CSS pixels.
  const boxOf = (r) => [r.left, r.top, r.right, r.bottom];
  const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const join = (a, b) => (a ? [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])] : b);
  const area = (b) => (b && b[2] > b[0] && b[3] > b[1] ? (b[2] - b[0]) * (b[3] - b[1]) : 0);
  const inset = (b, d) => [b[0] + d, b[1] + d, b[2] - d, b[3] - d];

  const parentOf = (el) => el.assignedSlot ?? el.parentElement ?? el.getRootNode().host ?? null;
  const styles = new Map();
  const styleOf = (el) => {
    let s = styles.get(el);
    if (!s) styles.set(el, (s = getComputedStyle(el)));
    return s;
  };
  const within = (el, outer) => {
    for (; el; el = parentOf(el)) if (el === outer) return true;
    return false;
  };

  // Colours

  const colours = new Map();
  const rgba = (text) => {
    let c = colours.get(text);
    if (!c) {
      const m = text.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/);
      if (m) c = [m[1], m[2], m[3], m[4] ?? 1].map(Number);
      else {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = '#0000';
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        const d = canvas.getImageData(0, 0, 1, 1).data;
        c = [d[0], d[1], d[2], d[3] / 255];
      }
      colours.set(text, c);
    }
    return c;
  };
  const over = (c, g) => [0, 1, 2].map((i) => c[i] * c[3] + g[i] * (1 - c[3]));
  const light = (c) => {
    const [r, g, b] = c.map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const x = light(a) + 0.05, y = light(b) + 0.05;
    return Math.max(x / y, y / x);
  };
  const differ = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) > 7;

  // groundOf returns the colour behind an element's content, or null over a picture.
  const grounds = new Map();
  const groundOf = (el) => {
    if (!el) return [255, 255, 255];
    if (grounds.has(el)) return grounds.get(el);
    const s = styleOf(el), c = rgba(s.backgroundColor);
    let g;
    if (s.backgroundImage !== 'none' || el.dataset?.ground === 'picture') g = null;
    else if (c[3] > 0.99) g = c.slice(0, 3);
    else {
      g = groundOf(el.dataset?.ground === 'page' ? null : parentOf(el));
      if (g && c[3] > 0) g = over(c, g);
    }
    grounds.set(el, g);
    return g;
  };
  // painted reports whether an element has a surface that differs from what is behind it.
  const painted = (el) => {
    const s = styleOf(el), below = groundOf(parentOf(el)), c = rgba(s.backgroundColor);
    if (s.backgroundImage !== 'none') return true;
    if (c[3] > 0.02 && (!below || differ(over(c, below), below))) return true;
    for (const side of ['Top', 'Right', 'Bottom', 'Left']) {
      if (parseFloat(s[`border${side}Width`]) < 0.5 || s[`border${side}Style`] === 'none') continue;
      const b = rgba(s[`border${side}Color`]);
      if (b[3] > 0.04 && (!below || differ(over(b, below), below))) return true;
    }
    if (s.boxShadow !== 'none' && /[1-9]\d*(\.\d+)?px/.test(s.boxShadow.replace(/rgba?\([^)]*\)/g, '')) && !/rgba\([^)]*, 0\)/.test(s.boxShadow)) return true;
    const under = el.querySelector(':scope>[class*=underlay]');
    if (under && Number(styleOf(under).opacity) > 0.05 && rgba(styleOf(under).backgroundColor)[3] > 0.05) return true;
    return s.appearance !== 'none' && ['BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'PROGRESS', 'METER'].includes(el.tagName);
  };

  // Visibility

  const clips = new Map();
  // clipOf returns the part of the window that an element's content can be seen in.
  const clipOf = (el) => {
    if (!el) return [0, 0, W, H];
    if (clips.has(el)) return clips.get(el);
    const s = styleOf(el);
    let up = parentOf(el);
    if (s.position === 'fixed') while (up && styleOf(up).transform === 'none') up = parentOf(up);
    else if (s.position === 'absolute') while (up && styleOf(up).position === 'static' && styleOf(up).transform === 'none') up = parentOf(up);
    let clip = clipOf(up);
    const r = (s.overflowX !== 'visible' || s.overflowY !== 'visible') && el !== document.body && el !== document.documentElement && s.display !== 'inline' && el.getBoundingClientRect();
    if (r) {
      const b = boxOf(r);
      if (el.clientWidth) { // without borders and scroll bars
        b[0] += el.clientLeft;
        b[1] += el.clientTop;
        b[2] = Math.min(b[2], b[0] + el.clientWidth);
        b[3] = Math.min(b[3], b[1] + el.clientHeight);
      }
      if (s.overflowX === 'visible') { b[0] = -1e6; b[2] = 1e6; }
      if (s.overflowY === 'visible') { b[1] = -1e6; b[3] = 1e6; }
      clip = meet(clip, b);
    }
    clips.set(el, clip);
    return clip;
  };
  const clipAround = (el) => {
    const s = styleOf(el);
    let up = parentOf(el);
    if (s.position === 'fixed') while (up && styleOf(up).transform === 'none') up = parentOf(up);
    else if (s.position === 'absolute') while (up && styleOf(up).position === 'static' && styleOf(up).transform === 'none') up = parentOf(up);
    return clipOf(up);
  };

  const isBackdrop = (el) => el.dataset?.backdrop !== undefined || /\b(modal-backdrop|el-overlay|ant-modal-mask|v-overlay__scrim|reveal-overlay|modal-background|dimmer|popup-backdrop|dialog-backdrop)\b/.test(el.className?.baseVal ?? el.className ?? '') || el.getAttribute?.('part') === 'overlay';
  const leaf = (el) => ['IMG', 'CANVAS', 'VIDEO', 'INPUT', 'TEXTAREA', 'SELECT', 'BUTTON', 'ION-BACKDROP'].includes(el.tagName);
  const covers = new Map();
  // coversGround reports whether what lies behind an element cannot be seen.
  const coversGround = (el) => {
    if (!covers.has(el)) {
      const s = styleOf(el);
      covers.set(el, s.visibility === 'visible' && Number(s.opacity) > 0.5 && (leaf(el) || rgba(s.backgroundColor)[3] > 0.6 || /gradient|url/.test(s.backgroundImage)));
    }
    return covers.get(el);
  };
  const deep = (root, x, y) => {
    const out = [];
    for (const el of root.elementsFromPoint(x, y)) {
      if (el.getRootNode() !== root) continue; // a shadow root lists what lies around it, too
      if (el.shadowRoot) out.push(...deep(el.shadowRoot, x, y));
      out.push(el);
    }
    return out;
  };
  // look tells what is in front of an element at a point: nothing, a backdrop, or the element that covers it.
  const look = (el, x, y) => {
    if (x < 0 || y < 0 || x >= W || y >= H) return { cover: document.documentElement };
    const first = document.elementFromPoint(x, y);
    if (first && !first.shadowRoot && (el === first || el.contains(first))) return {};
    let dimmed = false;
    for (const hit of deep(document, x, y)) {
      if (within(hit, el) || within(el, hit)) return { dimmed };
      if (isBackdrop(hit)) dimmed = true;
      else if (coversGround(hit)) return { cover: hit };
    }
    return { dimmed };
  };
  // coverBox returns the box of the outermost surface around a covering element that does not hold what it covers.
  const coverBox = (cover, el) => {
    let best = boxOf(cover.getBoundingClientRect());
    for (let up = parentOf(cover); up && !within(el, up); up = parentOf(up)) {
      if (coversGround(up) && !isBackdrop(up)) best = meet(join(best, boxOf(up.getBoundingClientRect())), clipAround(up));
    }
    return best;
  };
  // seen returns what can be seen of a box: its part, whether it is dimmed, and its share of the whole.
  const seen = (el, box, clip) => {
    let b = meet(box, clip);
    if (area(b) <= 0) return null;
    const w = b[2] - b[0], h = b[3] - b[1];
    const steps = w * h > 40000 ? [0.02, 0.16, 0.33, 0.5, 0.67, 0.84, 0.98] : w > 90 ? [0.02, 0.25, 0.5, 0.75, 0.98] : [0.1, 0.5, 0.9];
    const rows = h > 90 ? steps : h > 12 ? [0.1, 0.5, 0.9] : [0.5];
    let shown = 0, dim = 0, all = 0;
    const hidden = new Set();
    for (const v of rows) for (const u of steps) {
      all++;
      const { cover, dimmed } = look(el, b[0] + u * w, b[1] + v * h);
      if (cover) hidden.add(cover);
      else {
        shown++;
        if (dimmed) dim++;
      }
    }
    if (!shown) return null;
    for (const cover of hidden) {
      const c = coverBox(cover, el);
      if (c[0] <= b[0] + 1 && c[2] >= b[2] - 1) {
        if (c[1] <= b[1] + 1 && c[3] < b[3]) b[1] = Math.max(b[1], c[3]);
        else if (c[3] >= b[3] - 1 && c[1] > b[1]) b[3] = Math.min(b[3], c[1]);
      } else if (c[1] <= b[1] + 1 && c[3] >= b[3] - 1) {
        if (c[0] <= b[0] + 1 && c[2] < b[2]) b[0] = Math.max(b[0], c[2]);
        else if (c[2] >= b[2] - 1 && c[0] > b[0]) b[2] = Math.min(b[2], c[0]);
      }
    }
    if (area(b) <= 0) return null;
    return { box: b, dimmed: dim * 2 > shown, share: ((shown / all) * w * h) / Math.max(1, area(box)) };
  };

  // Surfaces

  // pseudoBox returns the box of ::before or ::after, placed absolutely or at the start or end of its element.
  const pseudoBox = (el, which) => {
    const s = getComputedStyle(el, which), n = (v) => parseFloat(v) || 0;
    if (s.content === 'none' || s.display === 'none') return null;
    let w = n(s.width), h = n(s.height);
    if (s.boxSizing !== 'border-box') {
      w += n(s.paddingLeft) + n(s.paddingRight) + n(s.borderLeftWidth) + n(s.borderRightWidth);
      h += n(s.paddingTop) + n(s.paddingBottom) + n(s.borderTopWidth) + n(s.borderBottomWidth);
    }
    const own = styleOf(el);
    let x, y;
    if (s.position === 'absolute') {
      let base = el;
      while (base && styleOf(base).position === 'static') base = parentOf(base);
      const r = base.getBoundingClientRect();
      x = r.left + base.clientLeft + n(s.left) + n(s.marginLeft);
      y = r.top + base.clientTop + n(s.top) + n(s.marginTop);
    } else {
      const r = el.getBoundingClientRect();
      x = which === '::before' ? r.left + n(own.paddingLeft) + n(own.borderLeftWidth) + n(s.marginLeft) : r.right - n(own.paddingRight) - w;
      y = own.display.includes('flex') && own.alignItems === 'center' ? (r.top + r.bottom - h) / 2 : r.top + n(own.paddingTop) + n(own.borderTopWidth) + n(s.marginTop);
      if (s.position === 'relative') { x += n(s.left); y += n(s.top); }
    }
    const t = s.transform.match(/^matrix\((.*)\)$/);
    if (t) {
      const [a, , , d, e, f] = t[1].split(',').map(Number);
      const cx = x + w / 2 + e, cy = y + h / 2 + f;
      w *= Math.abs(a) || 1;
      h *= Math.abs(d) || 1;
      x = cx - w / 2;
      y = cy - h / 2;
    }
    return w > 1 && h > 1 ? [x, y, x + w, y + h] : null;
  };
  const find = (el, css) => {
    if (!css) return el;
    const hit = (el.matches(css) && el) || el.querySelector(css) || el.shadowRoot?.querySelector(css);
    if (hit) return hit;
    for (const host of [el, ...el.querySelectorAll('*')]) {
      const inner = host.shadowRoot?.querySelector(css);
      if (inner) return inner;
    }
    return null;
  };
  // surfaceOf returns the box of what is visible of an element; data-surface names a part: "CSS", "CSS::before",
  // "+CSS" of the element's next siblings.
  const surfaceOf = (el) => {
    let box = null;
    for (const part of (el.dataset.surface ?? '').split(',')) {
      let [css, pseudo] = part.trim().split('::');
      let at = el;
      if (css.startsWith('+')) {
        const [next, ...below] = css.slice(1).split(' ');
        css = next;
        for (at = el.nextElementSibling; at && !at.matches(css); at = at.nextElementSibling);
        if (at && below.length) at = at.querySelector(below.join(' '));
      } else if (css.startsWith('^')) at = el.closest(css.slice(1));
      else at = find(el, css);
      if (!at) continue;
      const b = pseudo ? pseudoBox(at, '::' + pseudo) : at.tagName === 'svg' && at !== el ? inkOf(at) : boxOf(at.getBoundingClientRect());
      if (b && el.dataset.thumb) { // a slider whose thumb is higher than its box
        const middle = (b[1] + b[3]) / 2, half = Math.max(b[3] - b[1], Number(el.dataset.thumb)) / 2;
        [b[1], b[3]] = [middle - half, middle + half];
      }
      if (b && area(b)) box = join(box, b);
    }
    return box;
  };
  // inkOf returns the box of what an <svg> paints.
  const inkOf = (svg) => {
    let box = null;
    for (const shape of svg.querySelectorAll('path,rect,circle,ellipse,line,polyline,polygon,use,text')) {
      if (shape.closest('defs,clipPath,mask,symbol,pattern') && svg.contains(shape.closest('defs,clipPath,mask,symbol,pattern'))) continue;
      const s = getComputedStyle(shape), stroke = s.stroke !== 'none' && Number(s.strokeOpacity) > 0.05 ? parseFloat(s.strokeWidth) || 0 : 0;
      if ((s.fill === 'none' || Number(s.fillOpacity) < 0.05) && !stroke) continue;
      if (s.visibility !== 'visible' || s.display === 'none' || Number(s.opacity) < 0.05 || rgba(s.fill === 'none' || s.fill.startsWith('url') ? 'rgb(0, 0, 0)' : s.fill)[3] < 0.03) continue;
      let g, m;
      try {
        g = shape.getBBox();
        m = shape.getScreenCTM();
      } catch { continue; }
      if (!m || (g.width === 0 && g.height === 0 && !stroke)) continue;
      const p = stroke / 2;
      for (const [x, y] of [[g.x - p, g.y - p], [g.x + g.width + p, g.y - p], [g.x - p, g.y + g.height + p], [g.x + g.width + p, g.y + g.height + p]]) {
        const q = [x * m.a + y * m.c + m.e, x * m.b + y * m.d + m.f];
        box = join(box, [...q, ...q]);
      }
    }
    return box && meet(box, boxOf(svg.getBoundingClientRect()));
  };

  // Roles

  const ARIA = {
    button: 'button', link: 'link', checkbox: 'checkbox', radio: 'radio', switch: 'switch', slider: 'slider', tab: 'tab', menuitem: 'item', option: 'item', treeitem: 'item',
    menuitemcheckbox: 'item', menuitemradio: 'item', menu: 'menu', listbox: 'menu', dialog: 'dialog', alertdialog: 'dialog', tooltip: 'tooltip', progressbar: 'progress', textbox: 'field', searchbox: 'field',
    spinbutton: 'field', combobox: 'dropdown', toolbar: 'toolbar', heading: 'heading', columnheader: 'cell', gridcell: 'cell', separator: null,
  };
  const INPUTS = { checkbox: 'checkbox', radio: 'radio', range: 'slider', button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', color: 'button', hidden: null };
  const roleOf = (el) => {
    const said = el.dataset?.role;
    if (said !== undefined) return [said, true];
    const tag = el.tagName.toLowerCase();
    if (tag === 'svg') {
      const r = el.getBoundingClientRect();
      return [Math.max(r.width, r.height) <= 64 ? 'icon' : 'picture'];
    }
    const aria = ARIA[el.getAttribute('role')];
    if (aria) return [aria];
    if (tag === 'input') return [el.type in INPUTS ? INPUTS[el.type] : 'field'];
    const r = { button: 'button', select: 'dropdown', textarea: 'field', progress: 'progress', meter: 'progress', img: 'picture', canvas: 'picture', video: 'picture', th: 'cell', td: 'cell', tr: 'row' }[tag];
    if (r) return [r];
    if (tag === 'a' && el.hasAttribute('href')) return ['link'];
    if (/^h[1-6]$/.test(tag)) return ['heading'];
    return [null];
  };
  const statesOf = (el, role) => {
    const out = new Set((el.dataset.states ?? '').split(/[ ,]+/).filter(Boolean));
    const input = el.matches('input,select,textarea,button') ? el : role && CONTROLS.has(role) ? el.querySelector('input,textarea,select') ?? el.shadowRoot?.querySelector('input,textarea,select') : null;
    const is = (name) => el.getAttribute(name) === 'true';
    if (input?.disabled || el.disabled === true || is('aria-disabled') || el.classList.contains('disabled')) out.add('disabled');
    if (['checkbox', 'radio', 'switch'].includes(role)) {
      if (input?.indeterminate) out.add('mixed');
      else if (input?.checked || is('aria-checked') || el.checked === true) out.add('checked');
    }
    if (is('aria-selected') || is('aria-pressed') || (el.hasAttribute('aria-current') && el.getAttribute('aria-current') !== 'false')) out.add('selected');
    if (is('aria-expanded')) out.add('expanded');
    if (is('aria-invalid') || (input && input.getAttribute('aria-invalid') === 'true')) out.add('error');
    if (role === 'field' && input && 'value' in input && !input.value) {
      out.add(input.placeholder ? 'placeholder' : 'empty');
    }
    const active = document.activeElement;
    if (active && active !== document.body && (active === el || (CONTROLS.has(role) && el.contains(active)))) out.add('focused');
    return [...out].sort();
  };

  const add = (el, role, box, at, more = {}) => {
    const { text, acted, bare, states = [], clip = clipAround(el) } = more;
    // What is drawn by a neighbour is not covered by it.
    const view = seen(/[+^]/.test(el.dataset?.surface ?? '') ? parentOf(el) : el, box, clip);
    if (!view || view.box[2] - view.box[0] < 2 || view.box[3] - view.box[1] < 2) return -1;
    const container = GROUPS.has(role) || ['dialog', 'menu', 'picture', 'item'].includes(role);
    if (view.share < (container ? 0.02 : 0.12)) return -1;
    const said = el.dataset?.acted;
    const item = { role, box: view.box, states, acted: said !== undefined ? said === '1' || said === 'true' : acted ?? ACTED.has(role), text: text ?? '', in: at };
    if (bare) item.bare = true;
    if (view.dimmed) item.dimmed = true;
    if (view.share < 0.6) item.cut = true;
    return list.push(item) - 1;
  };
  const words = (el) => (el.innerText ?? el.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 120);
  const same = (a, b) => area(meet(a, b)) > 0.94 * Math.max(area(a), area(b));

  // Texts

  const cased = (t, s) => (s.textTransform === 'uppercase' ? t.toUpperCase() : s.textTransform === 'lowercase' ? t.toLowerCase() : t);
  // tight narrows the box of a line's text to its ink from top to bottom.
  const tight = (box, text, s) => {
    canvas.font = `${s.fontStyle} ${s.fontWeight} ${s.fontSize} ${s.fontFamily}`;
    const m = canvas.measureText(text), up = box[1] + (box[3] - box[1]) / 2 + (m.fontBoundingBoxAscent - m.fontBoundingBoxDescent) / 2;
    if (!(m.actualBoundingBoxAscent + m.actualBoundingBoxDescent > 0.5)) return box;
    return [box[0], up - m.actualBoundingBoxAscent, box[2], up + m.actualBoundingBoxDescent];
  };
  const blockOf = (el) => {
    while (el && /^(inline|contents)$/.test(styleOf(el).display) && parentOf(el)) el = parentOf(el);
    return el;
  };
  // linesOf lists the lines of a text node with their boxes.
  const linesOf = (node, s) => {
    const range = document.createRange();
    const lead = node.data.match(/^[\s\u00a0\u200b]*/)[0].length, tail = node.data.match(/[\s\u00a0\u200b]*$/)[0].length;
    if (lead + tail >= node.data.length) return [];
    range.setStart(node, lead);
    range.setEnd(node, node.data.length - tail);
    const rects = [...range.getClientRects()].filter((r) => r.width > 0.5);
    if (!rects.length) return [];
    const tops = new Set(rects.map((r) => Math.round(r.top)));
    if (tops.size === 1) {
      const text = cased(node.data.replace(/\s+/g, ' ').trim(), s);
      return [{ text, box: tight(rects.map(boxOf).reduce(join), text, s) }];
    }
    const lines = [];
    const step = /[\u2e80-\uffef]/.test(node.data) ? /\S/gu : /\S+/g;
    for (const { 0: word, index } of node.data.matchAll(step)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      for (const r of range.getClientRects()) {
        if (r.width < 0.3) continue;
        const last = lines.at(-1), b = boxOf(r);
        if (last && Math.abs(last.raw[1] - b[1]) < (b[3] - b[1]) / 2) {
          last.text += (step.source === '\\S+' ? ' ' : '') + word;
          last.raw = join(last.raw, b);
        } else lines.push({ text: word, raw: b });
      }
    }
    return lines.map(({ text, raw }) => ({ text: cased(text, s), box: tight(raw, cased(text, s), s) }));
  };
  const readable = (el, opacity) => {
    const s = styleOf(el), c = rgba(s.webkitTextFillColor ?? s.color), g = groundOf(el);
    if (s.visibility !== 'visible' || c[3] * opacity < 0.15 || parseFloat(s.fontSize) < 5) return false;
    if (s.clip !== 'auto' && /rect\(0px|rect\(1px/.test(s.clip)) return false;
    return !g || contrast(over([c[0], c[1], c[2], c[3] * opacity], g), g) > 1.2;
  };
  const textNode = (node, el, at, ctx) => {
    if (!/\S/.test(node.data) || !readable(el, ctx.opacity)) return;
    const s = styleOf(el), block = blockOf(el), clip = clipOf(el);
    for (const line of linesOf(node, s)) pieces.push({ el, block, at, clip, size: parseFloat(s.fontSize), owner: ctx.owner, ...line });
  };
  // wrapped breaks a text into the lines that a text area shows.
  const wrapped = (text, width) => text.split('\n').flatMap((row) => {
    const lines = [''];
    for (const word of row.match(/[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+/g) ?? ['']) {
      if (lines.at(-1) && canvas.measureText(lines.at(-1) + word.trimEnd()).width > width) lines.push('');
      lines[lines.length - 1] += word;
    }
    return lines.map((l) => l.trimEnd());
  });
  // valueText lists the text in a form control, which no range can measure.
  const valueText = (el, at) => {
    const select = el.tagName === 'SELECT';
    const value = select ? el.selectedOptions[0]?.text ?? '' : el.value || el.placeholder || '';
    if (!value.trim() || ['range', 'checkbox', 'radio', 'hidden', 'color', 'file'].includes(el.type) || (select && el.size > 1)) return;
    const s = styleOf(el), n = (v) => parseFloat(v) || 0, r = el.getBoundingClientRect();
    if (Number(s.opacity) < 0.1) return;
    const shown = el.type === 'password' && el.value ? '•'.repeat(value.length) : value;
    const left = r.left + n(s.borderLeftWidth) + n(s.paddingLeft), right = r.right - n(s.borderRightWidth) - n(s.paddingRight), top = r.top + n(s.borderTopWidth) + n(s.paddingTop);
    canvas.font = `${s.fontStyle} ${s.fontWeight} ${s.fontSize} ${s.fontFamily}`;
    const height = n(s.lineHeight) || n(s.fontSize) * 1.2;
    const rows = el.tagName === 'TEXTAREA' ? wrapped(shown, Math.min(right, r.left + el.clientLeft + el.clientWidth - n(s.paddingRight)) - left) : [shown];
    rows.forEach((text, i) => {
      const t = cased(text, s), w = Math.min(canvas.measureText(t).width + (n(s.letterSpacing) || 0) * t.length, right - left);
      if (w < 2) return;
      const middle = el.tagName === 'TEXTAREA' ? top + (i + 0.5) * height - el.scrollTop : (r.top + n(s.borderTopWidth) + n(s.paddingTop) + r.bottom - n(s.borderBottomWidth) - n(s.paddingBottom)) / 2;
      const x = s.textAlign === 'center' ? (left + right - w) / 2 : /right|end/.test(s.textAlign) ? right - w : left + (select && s.appearance !== 'none' ? 4 : 0);
      const box = tight([x, middle - height / 2, x + w, middle + height / 2], t, s);
      add(el, 'text', meet(box, [left, r.top, right, r.bottom]), at, { text: text.slice(0, 120), acted: false });
    });
  };

  // The walk

  const childrenOf = (el) => {
    if (el.shadowRoot) return el.shadowRoot.childNodes;
    if (el.tagName === 'SLOT') {
      const given = el.assignedNodes();
      return given.length ? given : el.childNodes;
    }
    return el.childNodes;
  };
  const scrollbars = (el, s, at) => {
    if (!/auto|scroll/.test(s.overflowY + s.overflowX) || el === document.body) return;
    const r = boxOf(el.getBoundingClientRect()), n = (v) => parseFloat(v) || 0;
    const right = r[2] - n(s.borderRightWidth), bottom = r[3] - n(s.borderBottomWidth);
    const wide = right - r[0] - el.clientLeft - el.clientWidth, high = bottom - r[1] - el.clientTop - el.clientHeight;
    if (wide >= 3 && wide < 25 && el.scrollHeight > el.clientHeight + 1) add(el, 'scrollbar', [right - wide, r[1] + el.clientTop, right, bottom - high], at, { clip: clipAround(el) });
    if (high >= 3 && high < 25 && el.scrollWidth > el.clientWidth + 1) add(el, 'scrollbar', [r[0] + el.clientLeft, bottom - high, right - wide, bottom], at, { clip: clipAround(el) });
  };
  const SKIP = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'OPTION', 'TITLE', 'LINK', 'META']);
  const visit = (el, at, ctx) => {
    if (SKIP.has(el.tagName) || el.dataset?.role === 'skip') return;
    const s = styleOf(el);
    if ((s.display === 'none' && !el.dataset.surface) || isBackdrop(el) && !el.children.length) return;
    const opacity = ctx.opacity * Number(s.opacity);
    let [role, said] = roleOf(el);
    const hidden = s.visibility !== 'visible' || opacity < 0.12;
    if (role === 'none' || (!said && ((ctx.inside && role && (ctx.inside !== 'icon')) || (ctx.field && CONTROLS.has(role))))) role = role === 'icon' && !ctx.inside ? role : null;
    if (ctx.inside && role === 'icon') role = null;
    if (!said && ctx.item && ['link', 'button', 'item', 'tab'].includes(role)) role = null;
    const inner = { ...ctx, opacity };
    let here = at;
    if (role && (!hidden || el.dataset.surface)) here = take(el, role, said, at, inner, s);
    if (here === null) return;
    if (el.tagName === 'SELECT' || el.tagName === 'INPUT' || el.tagName === 'TEXTAREA') {
      if (!hidden && !ATOMS.has(role)) valueText(el, here);
      if (!hidden && el.tagName === 'TEXTAREA') scrollbars(el, s, here);
      return;
    }
    if (s.visibility === 'visible' || el.querySelector?.('*')) {
      for (const child of childrenOf(el)) {
        if (child.nodeType === 3) {
          const parent = el.tagName === 'SLOT' ? child.parentElement ?? el : el;
          textNode(child, parent.tagName === 'SLOT' ? parentOf(parent) : parent, here, inner);
        } else if (child.nodeType === 1) visit(child, here, inner);
      }
      scrollbars(el, s, here);
    }
  };
  // take lists one element, and returns the index that its content lies in, or null if nothing of it is listed apart.
  const take = (el, role, said, at, ctx, s) => {
    const states = statesOf(el, role);
    if (role === 'icon') {
      const box = el.tagName === 'svg' ? inkOf(el) : surfaceOf(el);
      const c = rgba(s.color), g = groundOf(el);
      const pale = el.tagName === 'svg' && g && /currentColor/.test(el.innerHTML) && contrast(over([c[0], c[1], c[2], c[3] * ctx.opacity], g), g) < 1.2;
      if (box && !pale && Math.max(box[2] - box[0], box[3] - box[1]) >= 4) add(el, 'icon', box, at, { states, text: el.dataset.name ?? '' });
      return null;
    }
    if (role === 'picture' || role === 'avatar') {
      const here = add(el, role, surfaceOf(el) ?? [0, 0, 0, 0], at, { states, text: el.getAttribute('alt') ?? '' });
      if (el.tagName === 'svg') {
        for (const t of el.querySelectorAll('text')) if (readable(t, ctx.opacity)) add(t, 'text', boxOf(t.getBoundingClientRect()), here, { text: t.textContent, acted: false });
        return null;
      }
      ctx.inside = role === 'avatar' ? 'icon' : ctx.inside;
      return here < 0 ? at : here;
    }
    if (role === 'heading' || role === 'link') {
      ctx.owner = { role, states, el, lines: 0 };
      if (role === 'link') ctx.item = true;
      return at;
    }
    if (role === 'text') return at;
    if (ATOMS.has(role)) {
      const box = surfaceOf(el);
      if (box && area(box) > 8) add(el, role, box, at, { states, text: el.getAttribute('aria-label') ?? '' });
      ctx.inside = role;
      return at;
    }
    const box = surfaceOf(el);
    if (!box) return at;
    const part = el.dataset.surface;
    const surface = !part || /[:+,]/.test(part) ? el : part.startsWith('^') ? el.closest(part.slice(1)) ?? el : find(el, part) ?? el;
    const bare = !painted(surface);
    if (bare && (role === 'panel' || role === 'badge')) return at;
    if (GROUPS.has(role) && at >= 0 && role !== 'row' && role !== 'cell' && same(box, list[at].box)) return at;
    if (role === 'field' || role === 'dropdown') ctx.field = true;
    if (role === 'button' || role === 'item' || role === 'tab') ctx.item = true;
    const here = add(el, role, box, at, { states, bare: bare && !['row', 'cell'].includes(role), text: GROUPS.has(role) || role === 'dialog' || role === 'menu' ? '' : words(el) });
    return here < 0 ? at : here;
  };

  visit(document.body, -1, { opacity: 1, inside: null, field: false, item: false, owner: null });
  scrollbars(document.documentElement, { ...styleOf(document.documentElement), overflowY: 'auto', overflowX: '', borderRightWidth: '0', borderBottomWidth: '0' }, -1);

  // Pieces on one line of one block are one line of text; headings and links take theirs.
  const lines = [];
  for (const p of pieces) {
    const last = lines.at(-1);
    const near = last && last.block === p.block && last.owner?.role !== 'heading' && p.owner?.role !== 'heading' && Math.min(last.box[3], p.box[3]) - Math.max(last.box[1], p.box[1]) > 0 && p.box[0] - last.box[2] > -2 && p.box[0] - last.box[2] < p.size * 0.7;
    if (near) {
      last.parts.push(p);
      last.box = join(last.box, p.box);
      last.text += (p.box[0] - last.box[2] > p.size * 0.12 ? ' ' : ' ') + p.text;
    } else lines.push({ ...p, parts: [p] });
  }
  const taken = new Map();
  for (const line of lines) {
    for (const p of line.parts) {
      if (p.owner?.role === 'heading') {
        const known = taken.get(p.owner);
        if (known !== undefined && known >= 0) {
          const b = meet(p.box, p.clip);
          if (area(b)) list[known].box = join(list[known].box, b);
          list[known].text += ' ' + p.text;
        } else taken.set(p.owner, add(p.el, 'heading', p.box, p.at, { text: p.text, states: p.owner.states, clip: p.clip }));
      } else if (p.owner?.role === 'link') add(p.el, 'link', p.box, p.at, { text: p.text, states: p.owner.states, clip: p.clip });
    }
    if (line.parts.some((p) => !p.owner)) add(line.el, 'text', line.box, line.at, { text: line.text.slice(0, 200), acted: false, clip: line.clip });
  }

  // Containers come before their content: the texts were added last, so the list is put in order of nesting.
  const children = new Map();
  list.forEach((e, i) => children.set(e.in, [...(children.get(e.in) ?? []), i]));
  const order = [];
  const push = (i) => {
    order.push(i);
    for (const c of children.get(i) ?? []) push(c);
  };
  for (const i of children.get(-1) ?? []) push(i);
  const place = new Map(order.map((i, n) => [i, n]));
  const round = (v) => Math.round(v * scale * 10) / 10;
  return order.map((i) => ({ ...list[i], box: list[i].box.map(round), in: place.get(list[i].in) ?? -1 }));
}
