// @ts-check
// The active settings with their sources.
import { cls, count, html, plain, useLoad, useState } from './lib.js';
import { windie } from './state.js';
import { Empty, Loaded, Text } from './ui.js';

const from = { default: 'default', file: 'file', environment: 'environment', flag: 'flag' };

export const Settings = () => {
  const loaded = useLoad(() => windie.value.operator.settings(), [windie.value]);
  const [query, setQuery] = useState('');
  const [given, setGiven] = useState(false);
  const passes = (s) => (!given || s.source !== 'default') && `${s.key} ${s.env} ${s.doc} ${s.value}`.toLowerCase().includes(query.trim().toLowerCase());
  return html`<form class="inline" role="search" onSubmit=${(e) => e.preventDefault()}>
      <label class="grow">Filter<input type="search" placeholder="Name, value or description" value=${query} onInput=${(e) => setQuery(e.currentTarget.value)} /></label>
      <label class="check"><input type="checkbox" checked=${given} onChange=${(e) => setGiven(e.currentTarget.checked)} />Changed only</label></form>
    <${Loaded} of=${loaded} what="Loading the settings">${(all) => {
      const some = all.filter(passes);
      return html`<p class="faint" role="status">${some.length} of ${count(all.length, 'setting')}. Restart the gateway to apply a change.</p>
        ${some.length === 0 ? html`<${Empty} title=${query.trim() || !given ? 'No matching settings' : 'All settings have their default values'} />` : html`<ul class="rows settings">${some.map((s) => html`<li key=${s.key}><${Setting} of=${s} /></li>`)}</ul>`}`;
    }}<//>`;
};

const Setting = ({ of }) => html`<div class="bar"><strong><code>${plain(of.key)}</code></strong><span class=${cls('chip', of.source !== 'default' && 'done')}>${from[of.source] ?? plain(of.source)}</span></div>
  <p>${of.secret ? html`<span class="faint">${of.set ? '(secret, set)' : '(secret, not set)'}</span>` : of.value === '' ? html`<span class="faint">(empty)</span>` : html`<code><${Text} of=${of.value} limit=${2000} /></code>`}
    ${of.source !== 'default' && of.preset !== '' && html` <span class="faint">default <code>${plain(of.preset)}</code></span>`}</p>
  <p class="faint"><${Text} of=${of.doc} /> <code>${plain(of.env)}</code></p>`;
