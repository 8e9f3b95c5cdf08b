import { General, Memory } from './general.js';
import { builtin, Transport } from './http.js';
import { Screen } from './perception.js';
import { Operator } from './operator.js';
import { Prompts } from './prompts.js';
import { Artifacts, Audit, Conversations, Decisions, Embeddings, Introspection, Plugins, Semantic, Tools } from './resources.js';
import { Runs } from './runs.js';
import { ToolHosts } from './toolhosts.js';
import { socketTicket } from './socket.js';
import { VERSION } from './version.js';
export function fileTokenStore(path) {
    const files = () => {
        const fs = builtin('node:fs/promises');
        if (!fs)
            throw new TypeError('windie: there are no files here; write a TokenStore of your own');
        return fs;
    };
    return {
        async load() {
            try {
                return (await files().readFile(path, 'utf8')).trim() || undefined;
            }
            catch (error) {
                if (error.code === 'ENOENT')
                    return undefined;
                throw error;
            }
        },
        async save(token) {
            const part = `${path}.${Date.now()}.part`;
            await files().writeFile(part, `${token}\n`, { mode: 0o600, flag: 'wx' });
            await files().rename(part, path);
        },
    };
}
export class Windie {
    options;
    transport;
    artifacts;
    tools;
    prompts;
    conversations;
    decisions;
    memory;
    runs;
    embeddings;
    semantic;
    general;
    toolHosts;
    plugins;
    audit;
    operator;
    agent;
    constructor(options = {}) {
        this.options = options;
        const t = (this.transport = new Transport(options));
        this.artifacts = new Artifacts(t);
        this.tools = new Tools(t);
        this.prompts = new Prompts(t);
        this.conversations = new Conversations(t, this.tools);
        this.decisions = new Decisions(t);
        this.memory = new Memory(t);
        this.runs = new Runs(t);
        this.embeddings = new Embeddings(t);
        this.semantic = new Semantic(t);
        this.general = new General(t);
        this.toolHosts = new ToolHosts(t);
        this.plugins = new Plugins(t);
        this.audit = new Audit(t);
        this.operator = new Operator(t);
        this.agent = new Introspection(t);
    }
    static async registered(options) {
        const { store, operatingSystem, ...rest } = options;
        let token = await store.load();
        if (token === undefined) {
            const made = await new Windie(rest).register(operatingSystem);
            token = made.install_token;
            await store.save(token);
        }
        return new Windie({ ...rest, token });
    }
    with(options) {
        return new Windie({ ...this.options, ...options });
    }
    screen(of) {
        return new Screen(this.transport, of);
    }
    get mcpURL() {
        return `${this.transport.baseURL}/mcp`;
    }
    register(operatingSystem, call = {}) {
        return this.transport.json('POST', '/api/install/register', { ...call, json: operatingSystem === undefined ? {} : { operating_system: operatingSystem } });
    }
    socketTicket(path = '/ws', call = {}) {
        return socketTicket(this.transport, path, call);
    }
    health(call = {}) {
        return this.transport.json('GET', '/health', call);
    }
    ready(call = {}) {
        return this.transport.json('GET', '/ready', call);
    }
    async checkVersion(call = {}) {
        const { version } = await this.health(call);
        const release = (v) => v.replace(/^v/, '').split('.').slice(0, 2).join('.');
        const same = release(version) === release(VERSION) || !/^v?\d/.test(version) || VERSION === '0.0.0';
        if (!same)
            this.transport.log({ event: 'warning', message: `the gateway is ${version}, and this package ${VERSION}` });
        return { gateway: version, sdk: VERSION, same };
    }
    capabilities(call = {}) {
        return this.transport.json('GET', '/api/capabilities', call);
    }
    usage(call = {}) {
        return this.transport.json('GET', '/api/usage', call);
    }
    async metrics(call = {}) {
        return (await this.transport.request('GET', '/metrics', call)).text();
    }
}
