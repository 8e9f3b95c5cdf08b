// @ts-check
// The views for operators.
import { html } from './lib.js';
import { go, here, operates, route } from './state.js';
import { Tabs } from './ui.js';
import { Audit } from './audit.js';
import { Clients } from './connect.js';
import { Connections } from './connections.js';
import { Health } from './health.js';
import { Memory } from './memory.js';
import { refused } from './refused.js';
import { Plugins } from './plugins.js';
import { Browsers, Usage } from './people.js';
import { Storage } from './storage.js';
import { Runs } from './runs.js';
import { Servers } from './servers.js';
import { Settings } from './settings.js';
import { Users } from './users.js';

const views = { health: Health, runs: Runs, plugins: Plugins, servers: Servers, memory: Memory, audit: Audit, usage: Usage, users: Users, storage: Storage, settings: Settings, browsers: Browsers, clients: Clients, connections: Connections };
const tabs = [['health', 'Health'], ['runs', 'Runs'], ['plugins', 'Plugins'], ['servers', 'MCP servers'], ['memory', 'Memory'], ['audit', 'Audit log'], ['usage', 'Usage'], ['users', 'Users'], ['storage', 'Storage'], ['settings', 'Settings'], ['browsers', 'Browsers']];
const ofUsers = [['clients', 'Clients']]; // of a hosted gateway
const ofPeople = [['connections', 'Connections']];

export const Operators = () => {
  const at = route.value[1] in views ? route.value[1] : 'health';
  return html`<section aria-labelledby="gateway-title"><header class="bar"><h1 id="gateway-title">Gateway</h1></header>
    <${Tabs} label="Parts of the gateway" of=${[...tabs, ...(here.value?.mode === 'hosted' && !operates() ? ofUsers : []), ...(operates() ? [] : ofPeople)].map(([id, name]) => [id, id === 'servers' && refused.value > 0 ? html`${name} <span class="badge">${refused.value}<span class="sr"> refused</span></span>` : name])} value=${at} onChange=${(id) => go('gateway', id)} />
    <${views[at]} key=${at} /></section>`;
};
