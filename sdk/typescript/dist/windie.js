import { General, Memory } from './general.js';
import { builtin, Transport } from './http.js';
import { Pages } from './pages.js';
import { Screen, split } from './perception.js';
import { Prompts } from './prompts.js';
import { Artifacts, Conversations, Decisions, Embeddings, Introspection, Plugins, Semantic, Tools } from './resources.js';
import { Runs } from './runs.js';
/** The version of this package. The releases of the gateway have the same. */
export const VERSION = '0.0.0';
/** Keeps a token in a file that only its owner can read. */
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
/** A client of one gateway. */
export class Windie {
    options;
    /** @internal */
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
    plugins;
    /** What a model is asked, without asking it. */
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
        this.plugins = new Plugins(t);
        this.agent = new Introspection(t);
    }
    /** A client of a hosted gateway, with the token that store keeps. The first time it registers for one. */
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
    /** A copy of the client with other options, as for another user. */
    with(options) {
        return new Windie({ ...this.options, ...options });
    }
    /** A screen to ask about: a picture, or an artifact that shows one. */
    screen(of) {
        return new Screen(this.transport, of);
    }
    /** Where clients of the Model Context Protocol find the gateway. */
    get mcpURL() {
        return `${this.transport.baseURL}/mcp`;
    }
    /** Makes a user and a token of a hosted gateway. It is not tried again: the token is told once. */
    register(operatingSystem, call = {}) {
        return this.transport.json('POST', '/api/install/register', { ...call, json: operatingSystem === undefined ? {} : { operating_system: operatingSystem } });
    }
    health(call = {}) {
        return this.transport.json('GET', '/health', call);
    }
    ready(call = {}) {
        return this.transport.json('GET', '/ready', call);
    }
    /** Whether the gateway is of another release than this package. The logger hears of it. */
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
    /** What was spent on models today. */
    usage(call = {}) {
        return this.transport.json('GET', '/api/usage', call);
    }
    /** Figures for Prometheus, for the operator. */
    async metrics(call = {}) {
        return (await this.transport.request('GET', '/metrics', call)).text();
    }
    /** The calls of tools that were made, for the operator. */
    audit(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/audit', { ...call, query: { ...query, after } });
            return { items: page.records, next: page.next };
        });
    }
}
