#!/usr/bin/env node
// Makes up pages and windows in styles of no kit, and renders them as screens to train with.
//
//   node scripts/screens/train/freehand.mjs OUT [SEED [COUNT]]
//
// The style of a page is drawn by lot: how its links, buttons, menus, lists and fields look. Much of it looks alike
// whether it can be clicked or not, as a list of links and a list of names. What stands around it says which it is. The
// same seed gives the same pages. Screens that are there already are kept: after a stop the same command goes on.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Browser, keep } from '../browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [out, first = '5', count = '150'] = process.argv.slice(2);
if (!out) throw new Error('usage: node scripts/screens/train/freehand.mjs OUT [SEED [COUNT]]');
const sheet = pathToFileURL(join(here, 'node_modules/bootstrap-icons/font/bootstrap-icons.css')).href;

let seed = Number(first);
const rnd = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const pick = (l) => l[Math.floor(rnd() * l.length)], chance = (p) => rnd() < p, int = (a, b) => a + Math.floor(rnd() * (b - a + 1));
const some = (l, n) => [...l].map((v) => [rnd(), v]).sort((a, b) => a[0] - b[0]).slice(0, n).map(([, v]) => v);
const times = (a, b, f) => Array.from({ length: int(a, b) }, (_, i) => f(i)).join('');

const people = ['Anna Berg', 'Boris Klein', 'Chen Wei', 'Dalia Haddad', 'Emil Novak', 'Fatou Diop', 'Grace Okoro', 'Hugo Silva', 'Ines Moreau', 'Jonas Lind', 'Kira Patel'];
const places = ['Home', 'Docs', 'Pricing', 'Blog', 'Support', 'Orders', 'Reports', 'Settings', 'Messages', 'Calendar', 'Files', 'Profile', 'Billing', 'Team', 'Status', 'Terms', 'Privacy', 'Imprint',
  'Careers', 'Contact us', 'Press', 'Guides', 'Examples', 'Components', 'Layout', 'Typography', 'Changelog', 'Roadmap', 'Downloads', 'Wishlist', 'New arrivals', 'Log in', 'Sign up', 'Getting started', 'Getting help',
  'Active', 'Item', 'Parent', 'Sub item', 'Overview', 'Installation', 'Release notes', 'Community', 'Partners', 'Sitemap', 'Accessibility', 'English', 'Deutsch', 'Music', 'Pictures'];
const verbs = ['Save', 'Cancel', 'Apply', 'Reset', 'Delete', 'Edit', 'Remove', 'Add', 'Close', 'Dismiss', 'Reply', 'Share', 'Follow', 'View', 'Buy now', 'Add to cart', 'Read more', 'Default', 'Primary', 'Danger', 'Submit',
  'Sign in', 'Upload', 'Download', 'Export', 'Connect', 'Learn more', 'Undo', 'Next', 'Back', 'Skip', 'Install', 'Try it free', 'Button', 'Small', 'Large'];
const icons = ['pencil', 'trash', 'eye', 'download', 'share', 'printer', 'star', 'heart', 'bookmark', 'three-dots', 'three-dots-vertical', 'x-lg', 'plus-lg', 'search', 'gear', 'bell', 'arrow-clockwise', 'funnel', 'link-45deg',
  'copy', 'lock', 'play-fill', 'chevron-left', 'chevron-right', 'list', 'grid', 'telephone', 'camera', 'mic', 'paperclip', 'send', 'moon', 'cart', 'person', 'house', 'envelope', 'facebook', 'twitter', 'github', 'linkedin',
  'instagram', 'youtube', 'google', 'chat', 'reply', 'hand-thumbs-up', 'flag', 'info-circle', 'question-circle', 'x', 'dash', 'plus'];
const facts = ['Released', 'Author', 'License', 'Size', 'Language', 'Weight', 'Status', 'Owner', 'Created', 'Version', 'Country', 'Total', 'Stock', 'Method', 'Mobile', 'Location', 'Email', 'Full name'];
const heads = ['Recent orders', 'Team members', 'Overview', 'Account settings', 'Activity', 'Comments', 'Related articles', 'About the author', 'Your plan', 'Payment method', 'Projects', 'On this page', 'Categories', 'Billing information', 'Conversations'];
const words = 'lorem ipsum dolor sit amet consectetur the quick report shows that our numbers grew during this quarter while costs went down again because shipping is cheaper and people return less often than before in most regions'.split(' ');
const text = (n) => { const s = Array.from({ length: n }, () => pick(words)).join(' '); return s[0].toUpperCase() + s.slice(1) + '.'; };
const date = () => pick([`${int(1, 28)} ${pick(['Jan', 'Mar', 'May', 'Oct'])} 20${int(19, 26)}`, `${int(2, 23)} hours ago`, `${int(1, 12)} days`, `${int(1, 12)}:${int(10, 59)}`]);
const money = () => pick(['$', '€', '']) + int(1, 2999) + pick(['', '.00', '.' + int(10, 99)]);
const ic = (name = pick(icons)) => `<i class="bi bi-${name}"></i>`;
const hsl = (l0, l1, s0 = 0, s1 = 90) => `hsl(${int(0, 359)} ${int(s0, s1)}% ${int(l0, l1)}%)`;

// style draws how everything on a page looks.
function style() {
  const dark = chance(.18), accent = hsl(dark ? 55 : 38, dark ? 70 : 55, 50), ink = dark ? hsl(80, 95, 0, 15) : hsl(10, 35, 0, 20), muted = dark ? hsl(55, 70, 0, 12) : hsl(45, 62, 0, 15);
  const ground = dark ? hsl(8, 18, 0, 25) : pick(['#fff', '#fff', hsl(94, 99, 0, 40)]), card = dark ? hsl(15, 24, 0, 25) : pick(['#fff', '#fff', hsl(96, 100, 0, 30)]), line = dark ? hsl(26, 36, 0, 15) : hsl(80, 92, 0, 15);
  const link = pick([`color:${accent}`, `color:${accent}`, `color:${accent};text-decoration:underline`, `color:inherit`, `color:inherit;font-weight:600`, `color:inherit;text-decoration:underline`, `color:${muted}`]);
  const quiet = pick([`color:${muted}`, `color:${muted}`, 'color:inherit', `color:${accent}`, `color:${ink}`]);
  const on = pick([`color:${accent}`, `color:${ink};font-weight:700`, `background:${accent};color:#fff`, `background:#8883`, `border-bottom:2px solid ${accent}`, `box-shadow:inset 3px 0 ${accent}`, `color:${ink}`]);
  const radius = pick([0, 0, 3, 4, 6, 8, 14, 99]), pad = int(3, 13), upper = chance(.25) ? 'text-transform:uppercase;letter-spacing:.04em' : '';
  const base = pick([`background:${accent};color:#fff;border:0`, `background:${card};color:${ink};border:1px solid ${line}`, `background:#8882;color:inherit;border:0`, `background:linear-gradient(#fff,#ddd);color:#222;border:1px solid #aaa`, `background:none;color:${accent};border:1px solid ${accent}`, `background:none;color:${accent};border:2px solid currentColor`, `background:none;color:${accent};border:0`, `background:none;color:inherit;border:1px solid transparent`]);
  const strong = pick([`background:${accent};color:#fff;border:0`, `background:linear-gradient(195deg,${hsl(50, 65, 50)},${hsl(35, 50, 50)});color:#fff;border:0`, `background:${ink};color:${ground};border:0`]);
  return `*{box-sizing:border-box}body{margin:0;font:${pick([12, 13, 14, 14, 15, 16, 16])}px/${pick([1.3, 1.4, 1.5, 1.7])} ${pick(['Inter', 'Roboto', 'Open Sans', 'DejaVu Sans', 'Liberation Sans', 'Noto Sans', 'sans-serif'])},sans-serif;background:${ground};color:${ink}}
a{${link};${link.includes('underline') ? '' : 'text-decoration:none'}}.q,.q a{${quiet};text-decoration:none}.m{color:${muted}}.s{font-size:.85em}h1,h2,h3,h4{font-weight:${pick([300, 400, 500, 600, 700])};margin:0 0 .5em}
.card{background:${card};${pick([`border:1px solid ${line}`, 'box-shadow:0 2px 10px #0002', 'box-shadow:0 6px 24px #0002', ''])};border-radius:${pick([0, 4, 8, 14])}px;padding:${int(10, 28)}px;margin-bottom:${int(12, 28)}px}
button,.b{font:inherit;font-size:${pick(['.8em', '.9em', '1em'])};padding:${pad}px ${pad * pick([1.4, 2, 3])}px;border-radius:${radius}px;display:inline-block;${base};${upper};line-height:1.4;margin:2px ${int(0, 6)}px 2px 0;text-decoration:none}.p{${strong}}
.i{padding:${int(2, 9)}px;${pick(['background:none;border:0', 'background:none;border:0', '', 'border-radius:50%'])};color:${pick(['inherit', muted, accent])};margin:0 ${int(0, 10)}px 0 0}.i .bi{display:block;width:1.2em;height:1.2em;font-size:${int(12, 22)}px;line-height:1.2em;text-align:center}
nav a,.n a{${quiet};text-decoration:none;padding:${int(2, 10)}px ${int(0, 14)}px;border-radius:${pick([0, 0, 4, 8])}px;${upper}}nav .on,.n .on{${on}}.n{list-style:none;padding:0;margin:0 0 16px}.n a{display:block}.n ul{list-style:none;padding-left:${int(10, 22)}px}
input,select,textarea{font:inherit;padding:${int(3, 12)}px ${int(4, 14)}px;${pick([`border:1px solid ${line}`, `border:1px solid ${line}`, `border:1px solid ${muted}`, `border:0;border-bottom:1px solid ${muted}`, `border:0;background:#8882!important`])};border-radius:${pick([0, 3, 5, 8, 20])}px;background:${card};color:inherit;${pick(['width:100%', 'width:70%', 'width:240px'])}}input[type=checkbox],input[type=radio]{width:${int(13, 18)}px;height:${int(13, 18)}px;margin:0 6px 0 0;vertical-align:-2px}
label{${pick(['display:block;margin-bottom:4px', 'display:block;margin-bottom:4px;font-size:.85em', `display:block;font-size:.8em;color:${muted};text-transform:uppercase`])}}label.c{display:inline;text-transform:none}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:${int(4, 14)}px ${int(6, 16)}px;${pick([`border-bottom:1px solid ${line}`, `border:1px solid ${line}`, '', `border-top:1px solid ${line}`])}}th{${pick(['', `color:${muted};font-size:.8em;text-transform:uppercase`, 'font-weight:500', 'background:#8881'])}}tr:nth-child(even) td{${pick(['', '', 'background:#8881'])}}
.tag{display:inline-block;font-size:.8em;padding:${int(1, 4)}px ${int(4, 10)}px;border-radius:${pick([2, 4, 20])}px;background:${pick(['#8883', accent, hsl(80, 92, 40)])};color:${pick(['inherit', '#222'])};margin:0 4px 4px 0}.av{display:inline-flex;align-items:center;justify-content:center;border-radius:50%;background:${hsl(50, 80, 30)};color:#fff;width:${int(24, 44)}px;height:${int(24, 44)}px;font-size:.85em;margin-right:10px;flex:none}
.row{display:flex;gap:${int(8, 28)}px;align-items:center}.col{display:flex;gap:${int(14, 30)}px;align-items:flex-start}.pic{background:linear-gradient(${int(0, 180)}deg,${hsl(50, 80, 20)},${hsl(30, 60, 30)});height:${int(60, 140)}px;border-radius:4px;margin-bottom:8px}hr{border:0;border-top:1px solid ${line};margin:12px 0}.f{margin-bottom:${int(8, 20)}px}
.pg a,.pg span{display:inline-block;text-decoration:none;${pick(['padding:2px 8px', `padding:4px 10px;border:1px solid ${line}`, 'padding:5px 9px;border-radius:50%', 'padding:2px 12px'])};${quiet}}.pg .on{${on}}.bar{${pick([`background:${card}`, `background:${accent};color:#fff`, `background:${ink};color:${ground}`, ''])};padding:${int(4, 16)}px 20px;display:flex;align-items:center;gap:${int(6, 24)}px;${pick([`border-bottom:1px solid ${line}`, ''])}}.bar a,.bar .i{color:inherit}`;
}

const btn = () => pick([() => `<button>${pick(verbs)}</button>`, () => `<button class="p">${pick(verbs)}</button>`, () => `<button>${ic()} ${pick(verbs)}</button>`, () => `<a href="#" role="button" class="b btn">${pick(verbs)}</a>`, () => `<button class="i" aria-label="x">${ic()}</button>`, () => `<button class="i p" aria-label="x">${ic()}</button>`, () => `<button ${chance(.5) ? 'disabled style="opacity:.5"' : ''}>${pick(verbs)} ${chance(.3) ? ic('chevron-down') : ''}</button>`])();
const bare = (n) => `<div class="row" style="gap:${int(2, 16)}px;${chance(.3) ? 'justify-content:center' : ''}">${some(icons, n).map((i) => (chance(.5) ? `<a href="#" class="q">${ic(i)}</a>` : `<button class="i">${ic(i)}</button>`)).join('')}</div>`;
const sub = () => { const sep = pick(['', '', ' | ', ' · ', ' / ', ' • ']); return `<div class="${chance(.7) ? 'q' : ''} ${chance(.4) ? 's' : ''}" style="display:flex;flex-wrap:wrap;gap:0 ${int(8, 26)}px">${some(places, int(3, 6)).map((t) => `<a href="#">${t}</a>`).join(sep && `<span class="m">${sep}</span>`)}</div>`; };
const menu = () => `<ul class="n" style="${chance(.4) ? 'font-size:.9em' : ''}">${chance(.4) ? `<li class="m s" style="text-transform:uppercase;margin:6px 0">${pick(heads)}</li>` : ''}${some(places, int(4, 9)).map((t, i) => `<li><a href="#" class="${i === 1 ? 'on' : ''}">${chance(.02) ? '' : style.ic ? ic() + ' &nbsp;' : ''}${t}${style.caret && chance(.3) ? `<span style="float:right">${ic('chevron-down')}</span>` : ''}</a>${i === 2 && style.tree ? `<ul>${times(1, 3, () => `<li><a href="#">${pick(places)}</a></li>`)}</ul>` : ''}${style.rule && i === 3 ? '<hr>' : ''}</li>`).join('')}</ul>`;
const names = () => `<ul style="${pick(['', 'list-style:none;padding:0'])}">${times(3, 6, () => `<li style="margin:${int(1, 8)}px 0">${pick([pick(people), pick(facts), text(3), pick(heads)])}</li>`)}</ul>`;
const crumbs = () => `<div class="q s" style="margin:4px 0 12px">${some(places, int(2, 4)).map((t, i) => `<a href="#">${i === 0 && chance(.3) ? ic('house') : t}</a>`).join(` <span class="m">${pick(['/', '›', '»', '>', '-'])}</span> `)} <span class="m">${pick(['/', '›', '»'])} ${pick(heads)}</span></div>`;
const paging = () => `<div class="pg" style="margin:10px 0">${chance(.7) ? `<a href="#">${pick(['Previous', '«', '‹', ic('chevron-left')])}</a> ` : ''}${[1, 2, 3, '…', 8, 9].slice(0, int(3, 6)).map((t, i) => (t === '…' ? '<span>…</span>' : `<a href="#" class="${i === 1 ? 'on' : ''}">${t}</a>`)).join(' ')} ${chance(.7) ? `<a href="#">${pick(['Next', '»', '›', ic('chevron-right')])}</a>` : ''}</div>`;
const pairs = () => times(3, 7, () => `<div class="row" style="padding:${int(1, 6)}px 0"><span style="width:120px" class="${chance(.5) ? 'm' : ''}">${pick(facts)}${chance(.5) ? ':' : ''}</span><span>${pick([pick(people), date(), money(), text(3)])}</span></div>`);
const thread = () => times(2, 4, () => `<div class="col" style="gap:0;margin-bottom:14px"><span class="av">${pick(people)[0]}</span><div style="flex:1"><div>${chance(.4) ? `<a href="#">${pick(people)}</a>` : `<b>${pick(people)}</b>`} <span class="m s">${date()}</span></div><div>${text(int(6, 18))}</div><div class="q s row" style="gap:12px">${some(['Reply', 'Like', 'Share', 'Edit', 'Report', 'Permalink'], int(1, 3)).map((t) => `<a href="#">${t}</a>`).join('')}</div></div>${chance(.3) ? `<button class="i">${ic('three-dots')}</button>` : ''}</div>`);
const grid = () => { const cols = some([() => pick(people), () => `<a href="#">${pick(people)}</a>`, money, date, () => `<span class="tag">${pick(['Paid', 'Online', 'Offline', 'New', 'Draft'])}</span>`, () => pick(['Manager', 'Programmer', 'Editor']), () => int(1, 900), () => text(3)], int(3, 5)), act = pick([0, 0, 1, 2, 3]), sort = chance(.25); const ends = ['', () => `<a href="#">${pick(['Edit', 'View', 'Delete', 'Details'])}</a>`, () => some(icons, 2).map((i) => `<button class="i">${ic(i)}</button>`).join(''), () => `<button>${pick(verbs)}</button>`];
  return `<table><tr>${cols.map(() => (sort ? `<th role="button">${pick(facts)} ${ic('chevron-expand')}</th>` : `<th>${pick(facts)}</th>`)).join('')}${act ? '<th></th>' : ''}</tr>${times(3, 6, () => `<tr>${cols.map((f) => `<td>${f()}</td>`).join('')}${act ? `<td>${ends[act]()}</td>` : ''}</tr>`)}</table>`; };
const form = () => times(2, 4, () => { const k = rnd(), l = pick(facts), lab = chance(.75) ? `<label>${l}</label>` : ''; return `<div class="f">${k < .6 ? `${lab}<input ${chance(.5) ? `placeholder="${l}"` : `value="${pick(people)}"`}>` : k < .72 ? `${lab}<select><option>${pick(places)}</option></select>` : k < .8 ? `${lab}<textarea rows=3>${chance(.5) ? text(5) : ''}</textarea>` : times(1, 3, () => `<div><input type="${k < .9 ? 'checkbox' : 'radio'}" ${chance(.4) ? 'checked' : ''}><label class="c">${text(int(1, 3)).slice(0, -1)}</label></div>`)}</div>`; }) + btn() + (chance(.5) ? btn() : '') + (chance(.4) ? ` <a href="#" class="s">${pick(['Forgot password?', 'Create an account', 'Need help?'])}</a>` : '');
const rows = () => times(3, 5, () => `<div class="row" style="padding:8px 0;border-bottom:1px solid #8883"><span class="av">${pick(people)[0]}</span><div style="flex:1"><div>${pick(people)}</div><div class="m s">${text(4)}</div></div>${pick(['', `<span class="m s">${date()}</span>`, `<a href="#" class="s">${pick(verbs)}</a>`, `<button>${pick(verbs)}</button>`])}</div>`);
const article = () => `<h3>${chance(.4) ? `<a href="#" class="q">${text(5).slice(0, -1)}</a>` : text(5).slice(0, -1)}</h3><div class="m s">By ${chance(.5) ? `<a href="#">${pick(people)}</a>` : pick(people)}, ${date()}</div><p>${text(int(12, 30))} <a href="#">${pick(words)} ${pick(words)}</a> ${text(8)}</p>${chance(.5) ? `<a href="#">${pick(['Read more', 'Continue reading', 'Show all'])} ${chance(.3) ? '→' : ''}</a>` : btn()}`;
const tabs = () => `<nav class="row" style="gap:${int(4, 22)}px;margin-bottom:12px;${chance(.5) ? 'border-bottom:1px solid #8884' : ''}">${some(places, int(3, 5)).map((t, i) => `<a href="#" role="tab" class="${i === 0 ? 'on' : ''}">${t}</a>`).join('')}</nav>`;
const month = () => `<table style="text-align:center"><tr>${[...'MTWTFSS'].map((d) => `<th>${d}</th>`).join('')}</tr>${Array.from({ length: 5 }, (_, w) => `<tr>${Array.from({ length: 7 }, (_, d) => `<td>${chance(.9) && style.days ? `<a href="#" class="q">${w * 7 + d + 1}</a>` : w * 7 + d + 1}</td>`).join('')}</tr>`).join('')}</table>`;
const tiles = () => `<div class="col">${times(2, 4, () => `<div style="flex:1"><div class="pic"></div><div>${text(2).slice(0, -1)}</div><div class="m s">${money()}</div>${chance(.6) ? btn() : ''}</div>`)}</div>`;
const note = () => `<div class="card row" style="background:${hsl(80, 95, 40)};color:#333;padding:10px 14px"><span style="flex:1">${text(6)}</span>${pick(['', `<a href="#">${pick(verbs)}</a>`, `<button class="i">${ic('x')}</button>`, `<button class="i">${ic('x-lg')}</button>`])}</div>`;
const tags = () => some(places, int(4, 9)).map((t) => (style.tags ? `<a href="#" class="tag">${t}${style.off ? ' ' + ic('x') : ''}</a>` : `<span class="tag">${t}</span>`)).join('');
const parts = [menu, names, sub, paging, pairs, thread, grid, grid, form, form, rows, article, article, tabs, month, tiles, note, tags, () => bare(int(3, 7)), () => times(4, 9, () => btn() + ' '), () => `<div class="row" style="flex-wrap:wrap">${times(3, 6, btn)}</div>`, () => `<h2>${pick(heads)}</h2><p class="m">${text(20)}</p>`];
const block = () => { const title = chance(.5) ? `<h${int(2, 4)}>${pick(heads)}${chance(.2) ? `<span style="float:right">${bare(int(1, 3))}</span>` : ''}</h4>` : ''; return `<div class="${chance(.65) ? 'card' : ''}" style="margin-bottom:20px">${title}${pick(parts)()}</div>`; };
const top = () => `<div class="bar"><b>${pick(['Northwind', 'Acme', 'Orbit', 'Lumen'])}</b><nav class="row" style="flex:1;gap:${int(0, 22)}px">${some(places, int(3, 6)).map((t, i) => `<a href="#" class="${i === 0 ? 'on' : ''}">${t}${chance(.15) ? ' ' + ic('chevron-down') : ''}</a>`).join('')}</nav>${chance(.4) ? '<input placeholder="Search" style="width:180px">' : ''}${bare(int(0, 4))}${chance(.4) ? `<span class="av">${pick(people)[0]}</span>` : ''}${chance(.3) ? btn() : ''}</div>`;
const foot = () => `<div style="display:flex;gap:40px;padding:20px;${chance(.4) ? 'border-top:1px solid #8884' : ''}">${chance(.5) ? times(2, 4, () => `<div><div style="font-weight:600;margin-bottom:6px">${pick(heads)}</div><ul class="n q s">${times(3, 5, () => `<li><a href="#" style="padding:2px 0">${pick(places)}</a></li>`)}</ul></div>`) : `<span class="m s" style="flex:1">© 2024, made by ${chance(.5) ? `<a href="#">${pick(people)}</a>` : pick(people)}</span>${sub()}`}</div>`;

// page draws a page of the web.
function page() {
  Object.assign(style, { ic: chance(.45), caret: chance(.3), tree: chance(.3), rule: chance(.2), days: chance(.5), tags: chance(.5), off: chance(.3) });
  const wide = pick([1, 1, 2, 2, 3]), main = `<div class="col">${Array.from({ length: wide }, () => `<div style="flex:1;min-width:0">${times(3, 6, block)}</div>`).join('')}</div>`;
  const side = chance(.55) ? `<div style="width:${int(150, 280)}px;flex:none;padding:${int(8, 20)}px;${pick(['', 'background:#8881', 'border-right:1px solid #8884'])};min-height:100vh">${menu()}${chance(.5) ? menu() : ''}</div>` : '';
  return `${chance(.75) ? top() : ''}<div style="display:flex">${side}<div style="flex:1;min-width:0;padding:${int(10, 36)}px">${chance(.35) ? crumbs() : ''}${chance(.6) ? `<h1>${pick(heads)}</h1>` : ''}${chance(.25) ? tabs() : ''}${chance(.12) ? foot() : ''}${main}</div></div>${foot()}`;
}

const folder = mkdtempSync(join(tmpdir(), 'freehand-'));
const browser = new Browser();
try {
  for (let n = 0; n < Number(count); n++) {
    const file = join(folder, 'page.html'), name = `freehand-${first}-${n}`;
    const [width, height] = pick([[1366, 768], [1280, 800], [1440, 900], [1280, 720], [1024, 768], [1600, 900]]), dpr = pick([1, 1, 1, 1, 1.25, 1.5, 2]), down = pick([0, 0, 0, 300, 900]);
    writeFileSync(file, `<!doctype html><meta charset=utf-8><link rel=stylesheet href="${sheet}"><style>${style()}</style><body>${page()}`);
    if (existsSync(join(out, `${name}.json`))) continue;
    const size = await browser.open(`${pathToFileURL(file).href}?${n}`, { width, height, dpr });
    await browser.run((y) => scrollTo(0, y), down);
    await browser.run(() => new Promise((done) => setTimeout(done, 120)));
    await keep(browser, out, name, size, { kind: 'web' });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
