// @ts-check
// The settings in force, each with where it comes from.
import { cls, html, plain, useLoad, useState } from './lib.js';
import { windie } from './state.js';
import { Empty, Loaded, Text } from './ui.js';

const from = { default: 'by default', file: 'from the file', environment: 'from the environment', flag: 'from a flag' };

export const Settings = () => {
  const loaded = useLoad(() => windie.value.operator.settings(), [windie.value]);
  const [query, setQuery] = useState('');
  const [given, setGiven] = useState(false);
  const passes = (s) => (!given || s.source !== 'default') && `${s.key} ${s.env} ${s.doc} ${s.value}`.toLowerCase().includes(query.trim().toLowerCase());
  return html`<form class="inline" role="search" onSubmit=${(e) => e.preventDefault()}>
      <label class="grow">Filter<input type="search" placeholder="a name, a value, a word" value=${query} onInput=${(e) => setQuery(e.currentTarget.value)} /></label>
      <label class="check"><input type="checkbox" checked=${given} onChange=${(e) => setGiven(e.currentTarget.checked)} />Only what somebody set</label></form>
    <${Loaded} of=${loaded} what="Loading the settings">${(all) => {
      const some = all.filter(passes);
      return html`<p class="faint" role="status">${some.length} of ${all.length} settings. They are read when the gateway starts.</p>
        ${some.length === 0 ? html`<${Empty} title=${query.trim() || !given ? 'No setting passes the filter' : 'Nobody set anything'} />` : html`<ul class="rows settings">${some.map((s) => html`<li key=${s.key}><${Setting} of=${s} /></li>`)}</ul>`}`;
    }}<//>`;
};

const Setting = ({ of }) => html`<div class="bar"><strong><code>${plain(of.key)}</code></strong><span class=${cls('chip', of.source !== 'default' && 'done')}>${from[of.source] ?? plain(of.source)}</span></div>
  <p>${of.secret ? html`<span class="faint">${of.set ? 'a secret that is set' : 'a secret that is not set'}</span>` : of.value === '' ? html`<span class="faint">empty</span>` : html`<code><${Text} of=${of.value} limit=${2000} /></code>`}
    ${of.source !== 'default' && of.preset !== '' && html` <span class="faint">else <code>${plain(of.preset)}</code></span>`}</p>
  <p class="faint"><${Text} of=${of.doc} /> <code>${plain(of.env)}</code></p>`;
