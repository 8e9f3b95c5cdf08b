#!/usr/bin/env node
// Makes up windows of desktop programs, and renders them as screens to train with.
//
//   node scripts/screens/train/windows.mjs OUT [SEED [COUNT [PREFIX]]]
//
// Their frames are drawn as Windows, macOS, GNOME, KDE and plain window managers draw theirs; the buttons of the title
// bar are of the class "title". Menus, bars of icons, lists and boxes to fill in are in styles drawn by lot. The same
// seed gives the same windows. Screens that are there already are kept: after a stop the same command goes on.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Browser, keep } from '../browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [out, first = '3', count = '120', prefix = 'window'] = process.argv.slice(2);
if (!out) throw new Error('usage: node scripts/screens/train/windows.mjs OUT [SEED [COUNT [PREFIX]]]');
const sheet = pathToFileURL(join(here, 'node_modules/bootstrap-icons/font/bootstrap-icons.css')).href;

let seed = Number(first);
const rnd = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const pick = (l) => l[Math.floor(rnd() * l.length)], chance = (p) => rnd() < p, int = (a, b) => a + Math.floor(rnd() * (b - a + 1));
const some = (l, n) => [...l].map((v) => [rnd(), v]).sort((a, b) => a[0] - b[0]).slice(0, n).map(([, v]) => v);
const times = (a, b, f) => Array.from({ length: int(a, b) }, (_, i) => f(i)).join('');

const menus = ['File', 'Edit', 'View', 'Search', 'Document', 'Project', 'Tools', 'Help', 'Go', 'Bookmarks', 'Insert', 'Format', 'Window', 'Settings', 'Build', 'Table'];
const entries = ['New', 'Open…', 'Save', 'Save As…', 'Close', 'Print…', 'Undo', 'Redo', 'Cut', 'Copy', 'Paste', 'Delete', 'Select All', 'Find…', 'Replace…', 'Preferences', 'Full Screen', 'Zoom In', 'Properties', 'Show Sidebar', 'Word Wrap', 'About'];
const keys = ['Ctrl+N', 'Ctrl+O', 'Ctrl+S', 'F11', 'Ctrl+Shift+T', 'Alt+F4', 'Del', 'F2', 'Ctrl+Q', '⌘N'];
const files = ['budget.ods', 'letter.odt', 'notes.txt', 'Pictures', 'Music', 'main.go', 'README.md', 'holiday.jpg', 'Downloads', 'backup.tar.gz', 'report-2024.pdf', 'song.flac', 'Desktop', 'invoice 17.pdf', 'todo'];
const places = ['Home', 'Desktop', 'Documents', 'Downloads', 'Music', 'Pictures', 'Videos', 'Trash', 'Network', 'File System', 'Recent', 'Starred', 'Inbox', 'Sent', 'Drafts', 'Library', 'All songs', 'Devices'];
const titles = ['Untitled 1 - Editor', 'Documents', 'Calculator', 'notes.txt (~/work) - Text', 'Preferences', 'Archive Manager', 'Terminal', 'Mail', 'Find and replace', 'Music', 'Settings', 'Disk usage', 'main.go - project', 'Save changes?', 'Photos'];
const labels = ['Font size', 'Theme', 'Language', 'Name', 'Width', 'Folder', 'Server', 'Port', 'User name', 'Encoding', 'Tab width', 'Quality', 'Format'];
const checks = ['Show line numbers', 'Remember this', 'Create a backup', 'Match case', 'Highlight current line', 'Use system font', 'Start at login', 'Show hidden files', 'Wrap around', 'Ask before closing'];
const columns = ['Name', 'Size', 'Type', 'Modified', 'Title', 'Artist', 'Length', 'Status', 'From', 'Date', 'Progress'];
const words = 'the quick report shows that numbers grew during this quarter while costs went down again because shipping is cheaper and people return less often'.split(' ');
const text = (n) => Array.from({ length: n }, () => pick(words)).join(' ');
const glyphs = ['pencil', 'trash', 'download', 'printer', 'star', 'search', 'gear', 'arrow-clockwise', 'list', 'grid', 'folder', 'house', 'play-fill', 'skip-forward-fill', 'pause-fill', 'type-bold', 'type-italic', 'type-underline', 'text-left', 'text-center', 'scissors', 'clipboard', 'arrow-left', 'arrow-right', 'arrow-up', 'plus-lg', 'zoom-in', 'zoom-out', 'floppy', 'file-earmark', 'arrow-counterclockwise', 'x-lg', 'three-dots-vertical', 'info-circle', 'lock', 'image', 'link', 'table'];
const hsl = (s, l) => `hsl(${int(0, 359)} ${s}% ${l}%)`;
const ic = (n, size = 16) => `<i class="bi bi-${n}" style="font-size:${size}px;line-height:1;display:block"></i>`;

// drawing is an icon in several colours, as those of bars often are.
const drawing = (s) => {
  const a = hsl(int(40, 90), int(40, 65)), b = hsl(int(30, 80), int(70, 88)), shape = pick([
    () => `<path d="M2 5h8l2 3h10v12H2z" fill="${a}" stroke="#0006"/><path d="M2 11h20v9H2z" fill="${b}"/>`, () => `<path d="M5 2h10l4 5v15H5z" fill="#fff" stroke="#777"/><path d="M8 9h8M8 13h8M8 17h5" stroke="${a}" stroke-width="2"/>`,
    () => `<circle cx="12" cy="12" r="9" fill="${a}" stroke="#0006"/><path d="M7 12l4 4 7-8" stroke="#fff" stroke-width="3" fill="none"/>`, () => `<path d="M12 2l10 10h-6v9H8v-9H2z" fill="${a}" stroke="#0007"/>`,
    () => `<rect x="3" y="3" width="18" height="18" rx="2" fill="${a}" stroke="#0006"/><rect x="7" y="3" width="10" height="7" fill="${b}"/><rect x="6" y="13" width="12" height="8" fill="#fff"/>`, () => `<path d="M4 18L15 5l4 4L8 20l-5 1z" fill="${a}" stroke="#0006"/><path d="M15 5l4 4 2-2-4-4z" fill="${b}"/>`,
    () => `<circle cx="10" cy="10" r="7" fill="${b}" stroke="${a}" stroke-width="2"/><path d="M15 15l6 6" stroke="#864" stroke-width="4"/>`, () => `<rect x="9" y="3" width="6" height="18" fill="${a}"/><rect x="3" y="9" width="18" height="6" fill="${a}"/>`])();
  return `<svg width="${s}" height="${s}" viewBox="0 0 24 24" style="display:block">${shape}</svg>`;
};

const look = {};
const cross = (w = 1.2, s = 10) => `<svg aria-hidden="true" width="${s}" height="${s}" viewBox="0 0 10 10" style="display:block"><path d="M.5.5l9 9M9.5.5l-9 9" stroke="currentColor" stroke-width="${w}"/></svg>`;
const square = (w = 1, s = 10) => pick([`<svg width="${s}" height="${s}" viewBox="0 0 10 10" style="display:block"><rect x=".5" y=".5" width="9" height="9" fill="none" stroke="currentColor" stroke-width="${w}"/></svg>`, `<svg width="${s}" height="${s}" viewBox="0 0 10 10" style="display:block"><path d="M.5 2.5h7v7h-7zM2.5 2.5v-2h7v7h-2" fill="none" stroke="currentColor" stroke-width="${w}"/></svg>`]);
const dash = (w = 1, s = 10) => `<svg width="${s}" height="${s}" viewBox="0 0 10 10" style="display:block"><path d="M0 ${pick([5, 5, 9])}h10" stroke="currentColor" stroke-width="${w}"/></svg>`;
const up = (w = 1.2, s = 12) => `<svg width="${s}" height="${s}" viewBox="0 0 12 12" style="display:block"><path d="M1 8l5-5 5 5" fill="none" stroke="currentColor" stroke-width="${w}"/></svg>`;
const down = (w = 1.2, s = 12) => `<svg width="${s}" height="${s}" viewBox="0 0 12 12" style="display:block"><path d="M1 4l5 5 5-5" fill="none" stroke="currentColor" stroke-width="${w}"/></svg>`;
const tb = (name, style, inner) => `<span role="button" class="title" aria-label="${name}" style="display:inline-flex;align-items:center;justify-content:center;flex:none;${style}">${inner}</span>`;

// frames draw the title bar of a window: what is left of the title, the bar's style, and what is right of it.
const frames = {
  win11: () => { const s = (h) => `width:46px;height:${h}px`, h = pick([30, 32, 40]), dark = chance(.3); return { bar: `height:${h}px;background:${dark ? '#202020' : pick(['#f3f3f3', '#fff', '#eef4f9'])};color:${dark ? '#fff' : '#111'};font:12px sans-serif`, left: `<span style="margin:0 8px">${drawing(16)}</span>`, right: tb('Minimize', s(h), dash()) + tb('Maximize', s(h), square()) + tb('Close', `${s(h)};${chance(.2) ? 'background:#c42b1c;color:#fff' : ''}`, cross()), radius: 8 }; },
  win7: () => { const w = int(24, 30); return { bar: `height:30px;background:linear-gradient(#d8e6f5,#a8c4e2);color:#000;font:12px sans-serif;align-items:flex-start`, left: `<span style="margin:7px 6px">${drawing(16)}</span>`, right: tb('Minimize', `width:${w}px;height:19px;border:1px solid #7893b0;background:linear-gradient(#e8f1fa,#b7cde6)`, dash(2)) + tb('Maximize', `width:${w}px;height:19px;border:1px solid #7893b0;background:linear-gradient(#e8f1fa,#b7cde6)`, square(1.5)) + tb('Close', 'width:46px;height:19px;border:1px solid #732;background:linear-gradient(#e6a193,#c5412a);color:#fff;margin-right:6px', cross(2)), radius: 6 }; },
  classic: () => { const s = 'width:16px;height:14px;background:#c0c0c0;color:#000;border:1px solid;border-color:#fff #404040 #404040 #fff'; return { bar: `height:20px;padding:0 2px;background:linear-gradient(90deg,#0a246a,#a6caf0);color:#fff;font:bold 12px sans-serif`, left: `<span style="margin:0 3px">${drawing(14)}</span>`, right: tb('Minimize', s, dash(2, 8)) + tb('Maximize', s, square(1.5, 8)) + tb('Close', `${s};margin-left:2px`, cross(1.7, 8)), radius: 0 }; },
  mac: () => { const dark = chance(.35), off = chance(.2), dot = (n, c) => tb(n, `width:12px;height:12px;border-radius:50%;background:${off ? (dark ? '#555' : '#ccc') : c};margin-right:8px;border:.5px solid #0003`, ''); const h = pick([22, 28, 38, 52]); return { bar: `height:${h}px;background:${dark ? pick(['#2d2d2f', '#38383a']) : pick(['linear-gradient(#ebebeb,#d5d5d5)', '#f6f6f6', '#ececec'])};color:${dark ? '#ddd' : '#333'};font:13px sans-serif`, left: `<span style="display:flex;padding-left:${int(8, 20)}px">${dot('Close', '#ff5f57')}${dot('Minimize', '#febc2e')}${dot('Maximize', '#28c840')}</span>`, right: '', radius: 10, center: h < 50 }; },
  gnome: () => { const dark = chance(.3), s = `width:24px;height:24px;border-radius:50%;margin-right:${int(6, 13)}px;background:${pick(['#8883', '#8882', 'none'])}`, h = int(36, 47); return { bar: `height:${h}px;background:${dark ? '#303030' : pick(['#ebebeb', '#fafafa', 'linear-gradient(#f6f5f4,#e1dedb)'])};color:${dark ? '#fff' : '#333'};font:bold 14px sans-serif;padding:0 2px 0 8px;border-bottom:1px solid #0002`, left: chance(.6) ? `<button style="${look.flat}">${pick(['Open', ic('plus-lg'), ic('arrow-left'), ic('search')])}</button>${chance(.5) ? `<button style="${look.flat}">${ic(pick(glyphs))}</button>` : ''}` : '', right: (chance(.7) ? `<button class="title" aria-label="Menu" style="${look.flat};margin-right:8px">${ic(pick(['list', 'list', 'three-dots-vertical', 'gear']))}</button>` : '') + (chance(.6) ? tb('Minimize', s, dash(1.6)) + tb('Maximize', s, square(1.4)) : '') + tb('Close', s, cross(1.6)), radius: 12, center: true }; },
  kde: () => { const dark = chance(.3), s = 'width:18px;height:18px;margin-right:6px;border-radius:50%'; return { bar: `height:${int(26, 32)}px;background:${dark ? '#31363b' : pick(['#475057', '#eff0f1', '#dee0e2'])};color:${dark ? '#eee' : 'inherit'};font:13px sans-serif`, left: `<span style="margin:0 8px">${drawing(16)}</span>`, right: tb('Minimize', s, down()) + tb('Maximize', s, up()) + tb('Close', `${s};${chance(.6) ? 'background:#da4453;color:#fff' : ''}`, cross(1.3, 9)), radius: 4, center: true }; },
  plain: () => { const s = int(12, 20), c = hsl(int(0, 60), int(25, 85)), st = `width:${s}px;height:${s}px;margin:0 ${int(1, 4)}px;${pick(['', 'border:1px solid currentColor', 'background:#fff3;border:1px solid #0004', 'border-radius:3px;background:#0002'])}`; return { bar: `height:${s + int(4, 10)}px;background:${c};color:${pick(['#fff', '#111', '#eee'])};font:${pick(['bold ', ''])}12px sans-serif;padding:0 3px`, left: chance(.5) ? tb('Menu', st, drawing(s - 4)) : '', right: tb('Minimize', st, dash(1.6, s - 8)) + tb('Maximize', st, square(1.3, s - 8)) + tb('Close', st, cross(1.5, s - 8)), radius: 0, center: chance(.5) }; },
};

// style draws how what is in windows looks.
function style() {
  const dark = chance(.2), accent = hsl(int(50, 80), int(40, 55)), ground = dark ? '#2e3436' : pick(['#f6f5f4', '#f0f0f0', '#fff', '#efefef', '#dcdad5']), ink = dark ? '#eee' : pick(['#222', '#000', '#2e3436']), line = dark ? '#1b1b1b' : pick(['#ccc', '#b6b6b6', '#ddd']);
  Object.assign(look, { dark, ground, ink, line, accent, icon: int(14, 26), art: chance(.55), pad: int(2, 7), round: pick([0, 2, 4, 6]), under: chance(.3), flat: 'background:none;border:1px solid transparent;color:inherit;padding:5px;display:inline-flex' });
  const face = pick([`background:linear-gradient(#fff2,#0001);border:1px solid ${line}`, `background:${dark ? '#444' : '#fff'};border:1px solid ${line}`, `background:#8883;border:0`, `background:linear-gradient(#f8f8f8,#dedede);color:#222;border:1px solid #aaa`, 'background:#e1e1e1;border:1px solid #adadad;color:#000']);
  return `*{box-sizing:border-box}body{margin:0;font:${pick([12, 13, 13, 14])}px ${pick(['DejaVu Sans', 'Noto Sans', 'Liberation Sans', 'Inter', 'Roboto'])},sans-serif;background:${pick([hsl(30, 40), hsl(20, 25), `linear-gradient(${hsl(40, 50)},${hsl(40, 30)})`])};color:${ink};overflow:hidden}
.w{position:absolute;background:${ground};overflow:hidden;box-shadow:0 4px 20px #0006;display:flex;flex-direction:column;border:1px solid ${pick(['#0004', '#0008', line])}}.t{display:flex;align-items:center;flex:none}.t b{flex:1;font-weight:inherit;white-space:nowrap;overflow:hidden}
button{font:inherit;color:inherit;border-radius:${look.round}px;padding:${int(3, 7)}px ${int(10, 26)}px;${face};margin:2px}.x{padding:${look.pad}px;margin:0 ${int(0, 3)}px;background:none;border:1px solid transparent;display:inline-flex;align-items:center;gap:5px}.r{display:flex;align-items:center}
.in{background:${dark ? '#232729' : '#fff'};border:1px solid ${line};padding:${int(2, 7)}px ${int(4, 8)}px;border-radius:${look.round}px;color:inherit;font:inherit}.sel{background:${accent};color:#fff}.m span{padding:${int(3, 7)}px ${int(7, 12)}px;display:inline-block}.sep{width:1px;height:${look.icon}px;background:${line};margin:0 5px}.h{border-right:1px solid ${line};border-bottom:1px solid ${line};background:${pick(['#8882', 'none'])}}`;
}
const icon = () => (look.art ? drawing(look.icon) : ic(pick(glyphs), look.icon - 2));
const menuBar = () => `<div class="m" style="${chance(.3) ? `border-bottom:1px solid ${look.line}` : ''}">${some(menus, int(4, 8)).map((t) => `<span role="menuitem">${t}</span>`).join('')}</div>`;
const bar = () => { const named = chance(.3); return `<div class="r" style="padding:2px 4px;${chance(.5) ? `border-bottom:1px solid ${look.line}` : ''}">${times(5, 14, () => (chance(.18) ? '<span class="sep"></span>' : chance(.06) ? `<select class="in"><option>${pick(['Sans', '12', 'Normal', '100%'])}</option></select>` : `<button class="x" style="${named && chance(.5) ? 'flex-direction:column' : ''}">${icon()}${named ? `<span style="font-size:.9em">${pick(entries).replace('…', '')}</span>` : ''}${chance(.08) ? `<span>${down(1.3, 8)}</span>` : ''}</button>`))}${chance(.3) ? '<input class="in" placeholder="Search" style="margin-left:auto;width:160px">' : ''}</div>`; };
const side = () => `<div style="width:${int(130, 200)}px;flex:none;padding:6px;border-right:1px solid ${look.line};${chance(.5) ? 'background:#8881' : ''}">${chance(.5) ? `<div style="opacity:.7;font-size:.9em;padding:4px">${pick(['Places', 'Devices', 'Mail', 'Library'])}</div>` : ''}${some(places, int(5, 9)).map((t, i) => `<div role="treeitem" class="r ${i === 1 ? 'sel' : ''}" style="gap:7px;padding:${look.pad}px 6px;border-radius:${look.round}px">${look.art ? drawing(16) : ic(pick(glyphs), 14)}${t}</div>`).join('')}</div>`;
const table = () => { const c = some(columns, int(3, 5)); return `<div style="flex:1;background:${look.dark ? '#232729' : '#fff'};overflow:hidden"><div class="r">${c.map((t) => `<button class="h r" style="flex:1;text-align:left;margin:0;border-radius:0;border-left:0;border-top:0;padding:4px 6px;justify-content:space-between">${t}${chance(.2) ? down(1.2, 9) : ''}</button>`).join('')}</div>${times(6, 14, (i) => `<div class="r ${i === 2 ? 'sel' : ''}" style="padding:3px 0">${c.map((_, k) => `<span class="r" style="flex:1;padding:0 6px;gap:6px;white-space:nowrap;overflow:hidden">${k === 0 ? drawing(16) : ''}${k === 0 ? pick(files) : pick([int(1, 900) + ' KB', 'Folder', '12 Mar 2024', text(2), `${int(1, 5)}:${int(10, 59)}`])}</span>`).join('')}</div>`)}</div>`; };
const grid = () => `<div style="flex:1;display:flex;flex-wrap:wrap;align-content:flex-start;background:${look.dark ? '#232729' : '#fff'};padding:10px">${times(6, 14, () => `<div style="width:96px;margin:8px;text-align:center"><div style="display:flex;justify-content:center;margin-bottom:4px">${drawing(48)}</div>${pick(files)}</div>`)}</div>`;
const page = () => `<div style="flex:1;background:${look.dark ? '#232729' : '#fff'};padding:8px;font-family:'DejaVu Sans Mono','Liberation Mono',monospace;line-height:1.5">${times(5, 16, () => `<div>${text(int(3, 11))}</div>`)}</div>`;
const form = () => `<div style="padding:${int(8, 18)}px;flex:1">${times(2, 5, () => (chance(.6) ? `<div class="r" style="margin:6px 0;gap:10px"><span style="width:110px;${chance(.5) ? 'text-align:right' : ''}">${pick(labels)}:</span>${pick([() => `<input class="in" value="${text(1)}">`, () => `<select class="in"><option>${text(1)}</option></select>`, () => `<input type="number" class="in" value="${int(1, 99)}" style="width:80px">`])()}${chance(.3) ? `<button>${pick(['Browse…', '…', 'Change', 'Reset'])}</button>` : ''}</div>` : `<div style="margin:6px 0"><input type="${pick(['checkbox', 'checkbox', 'radio'])}" ${chance(.5) ? 'checked' : ''} style="vertical-align:-2px"> <label>${pick(checks)}</label></div>`))}</div><div class="r" style="justify-content:flex-end;padding:8px;gap:6px">${some(['OK', 'Cancel', 'Apply', 'Help', 'Close', 'Save', 'Discard', "Don't Save"], int(1, 3)).map((t) => `<button>${t}</button>`).join('')}</div>`;
const calc = () => `<div style="padding:6px;flex:1"><div class="in" style="text-align:right;font-size:1.6em;padding:8px;margin-bottom:6px">${int(0, 9999)}</div><div style="display:grid;grid-template-columns:repeat(5,1fr);gap:4px">${['7', '8', '9', '÷', 'C', '4', '5', '6', '×', '(', '1', '2', '3', '−', ')', '0', '.', '%', '+', '='].map((t) => `<button style="margin:0;padding:9px 0">${t}</button>`).join('')}</div></div>`;
const tabs = () => `<div class="r" style="border-bottom:1px solid ${look.line};padding:3px 4px 0">${some(titles, int(2, 4)).map((t, i) => `<span role="tab" class="r" style="padding:5px 10px;gap:8px;${i === 0 ? `background:${look.dark ? '#232729' : '#fff'};border:1px solid ${look.line};border-bottom:0` : ''}">${t.split(' ')[0]}${chance(.7) ? `<span role="button">${cross(1.2, 8)}</span>` : ''}</span>`).join('')}</div>`;
const status = () => `<div class="r" style="padding:3px 8px;gap:24px;font-size:.92em;border-top:1px solid ${look.line}">${times(1, 4, () => `<span>${pick(['Line 4, column 17', '12 items, 3.4 GB free', 'UTF-8', 'Ready', 'INS', text(3)])}</span>`)}</div>`;
const popup = (x, y) => `<div style="position:absolute;left:${x}px;top:${y}px;background:${look.dark ? '#3a3f42' : '#fff'};border:1px solid ${look.line};padding:3px;box-shadow:0 3px 10px #0005">${some(entries, int(5, 10)).map((t, i) => `<div role="menuitem" class="r ${i === 1 ? 'sel' : ''}" style="padding:${look.pad + 1}px 8px;gap:8px;min-width:190px">${look.under ? `<span style="width:16px">${chance(.6) ? drawing(16) : ''}</span>` : ''}<span style="flex:1">${t}</span><span style="opacity:.6">${chance(.5) ? pick(keys) : ''}</span></div>${i === 3 ? `<div style="height:1px;background:${look.line};margin:3px 0"></div>` : ''}`).join('')}</div>`;

function win(x, y, w, h) {
  const f = frames[pick(Object.keys(frames))](), dialog = w < 520, title = pick(titles);
  const main = dialog ? pick([form, calc, form])() : `${chance(.75) ? menuBar() : ''}${times(0, 2, bar)}${chance(.25) ? tabs() : ''}<div style="display:flex;flex:1;min-height:0">${chance(.5) ? side() : ''}${pick([table, grid, page, form])()}</div>${chance(.6) ? status() : ''}`;
  return `<div class="w" style="left:${x}px;top:${y}px;width:${w}px;height:${h}px;border-radius:${f.radius}px"><div class="t" style="${f.bar}">${f.left}<b style="${f.center ? 'text-align:center' : 'padding-left:4px'}">${title}</b>${f.right}</div>${main}</div>`;
}
function desk(width, height) {
  const full = chance(.3), list = [full ? win(0, 0, width, height) : win(int(10, 60), int(10, 40), int(620, width - 160), int(430, height - 120))];
  if (chance(.6)) list.push(win(int(width / 3, width - 480), int(height / 4, height / 2), int(300, 460), int(220, 330)));
  if (chance(.25)) list.push(popup(int(40, width - 300), int(40, 200)));
  return list.join('');
}

const folder = mkdtempSync(join(tmpdir(), 'windows-'));
const browser = new Browser();
try {
  for (let n = 0; n < Number(count); n++) {
    const file = join(folder, 'page.html'), name = `${prefix}-${first}-${n}`;
    const [width, height] = pick([[1024, 700], [1280, 800], [1100, 720], [1280, 720]]), dpr = pick([1, 1, 1, 1, 1.25, 1.5, 2]);
    writeFileSync(file, `<!doctype html><meta charset=utf-8><link rel=stylesheet href="${sheet}"><style>${style()}</style><body>${desk(width, height)}`);
    if (existsSync(join(out, `${name}.json`))) continue;
    const size = await browser.open(`${pathToFileURL(file).href}?${n}`, { width, height, dpr });
    await browser.run(() => new Promise((done) => setTimeout(done, 120)));
    await keep(browser, out, name, size, { kind: 'window' });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
