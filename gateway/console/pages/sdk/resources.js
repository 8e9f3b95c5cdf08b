import { Pages } from './pages.js';
import { split, upload } from './perception.js';
const at = encodeURIComponent;
export class Artifacts {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    upload(source, options = {}) {
        return upload(this.transport, source, options, true);
    }
    download(id, call = {}) {
        return this.transport.request('GET', `/api/artifacts/${at(id)}`, { ...call, stream: true });
    }
    async describe(id, call = {}) {
        const { headers } = await this.transport.request('HEAD', `/api/artifacts/${at(id)}`, call);
        return { contentType: headers.get('content-type'), size: Number(headers.get('content-length')), etag: headers.get('etag') };
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/artifacts/', { ...call, query: { ...query, after } });
            return { items: page.artifacts, next: page.next };
        }, options.after);
    }
    delete(id, call = {}) {
        return this.transport.json('DELETE', `/api/artifacts/${at(id)}`, call);
    }
    keep(id, call = {}) {
        return this.transport.json('PUT', `/api/artifacts/${at(id)}/keep`, call);
    }
    unkeep(id, call = {}) {
        return this.transport.json('DELETE', `/api/artifacts/${at(id)}/keep`, call);
    }
}
export class Tools {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    async list(options = {}) {
        const [call, query] = split(options);
        return (await this.transport.json('GET', '/api/tools', { ...call, query })).tools;
    }
    get(id, call = {}) {
        return this.transport.json('GET', `/api/tools/${at(id)}`, call);
    }
    async invoke(id, input = {}, call = {}) {
        const answer = await this.transport.json('POST', `/api/tools/${at(id)}/invoke`, { ...call, json: input, keyed: true });
        return answer.result;
    }
    async call(id, input = {}, call = {}) {
        const response = await this.transport.request('POST', `/api/tools/${at(id)}/invoke`, { ...call, json: input, keyed: true });
        return Object.assign(this.transport.parse(await response.text()), { callId: response.headers.get('x-request-id') });
    }
}
export class Conversations {
    transport;
    tools;
    constructor(transport, tools) {
        this.transport = transport;
        this.tools = tools;
    }
    async create(call = {}) {
        return (await this.tools.invoke('conversation.create', {}, call)).id;
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/conversations', { ...call, query: { ...query, after } });
            return { items: page.conversations, next: page.next };
        }, options.after);
    }
    get(conversationId, options = {}) {
        const [call, input] = split(options);
        return this.tools.invoke('conversation.get', { conversationId, ...input }, call);
    }
    delete(id, call = {}) {
        return this.transport.json('DELETE', `/api/conversations/${at(id)}`, call);
    }
}
export class Decisions {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/decisions', { ...call, query: { ...query, after } });
            return { items: page.decisions, next: page.next };
        }, options.after);
    }
    get(id, call = {}) {
        return this.transport.json('GET', `/api/decisions/${at(id)}`, call);
    }
    approve(id, call = {}) {
        return this.transport.json('POST', `/api/decisions/${at(id)}`, { ...call, json: { approved: true }, safe: true });
    }
    reject(id, options = {}) {
        const [call, body] = split(options);
        return this.transport.json('POST', `/api/decisions/${at(id)}`, { ...call, json: { approved: false, ...body }, safe: true });
    }
    async rules(call = {}) {
        return (await this.transport.json('GET', '/api/rules', call)).rules;
    }
    async setRules(rules, call = {}) {
        return (await this.transport.json('PUT', '/api/rules', { ...call, json: { rules } })).rules;
    }
}
export class Embeddings {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    create(text, options = {}) {
        const [call, body] = split(options);
        return this.transport.json('POST', '/api/embeddings/', { ...call, json: { text, ...body }, safe: true });
    }
    health(call = {}) {
        return this.transport.json('GET', '/api/embeddings/health', call);
    }
}
export class Semantic {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    summarize(request, call = {}) {
        return this.transport.json('POST', '/api/semantic/summarize', { ...call, json: request, safe: true });
    }
    title(request, call = {}) {
        return this.transport.json('POST', '/api/semantic/title', { ...call, json: request, safe: true });
    }
    health(call = {}) {
        return this.transport.json('GET', '/api/semantic/health', call);
    }
}
export class Plugins {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    async list(call = {}) {
        return (await this.transport.json('GET', '/api/plugins', call)).plugins;
    }
    add(form, call = {}) {
        return this.transport.json('POST', '/api/plugins', { ...call, body: form, keyed: true });
    }
    get(name, call = {}) {
        return this.transport.json('GET', `/api/plugins/${at(name)}`, call);
    }
    remove(name, call = {}) {
        return this.transport.json('DELETE', `/api/plugins/${at(name)}`, call);
    }
    enable(name, call = {}) {
        return this.transport.json('POST', `/api/plugins/${at(name)}/enable`, { ...call, safe: true });
    }
    disable(name, call = {}) {
        return this.transport.json('POST', `/api/plugins/${at(name)}/disable`, { ...call, safe: true });
    }
    getGrant(name, call = {}) {
        return this.transport.json('GET', `/api/plugins/${at(name)}/grant`, call);
    }
    putGrant(name, grant, call = {}) {
        return this.transport.json('PUT', `/api/plugins/${at(name)}/grant`, { ...call, json: grant });
    }
}
export class Audit {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/audit', { ...call, query: { ...query, after } });
            return { items: page.records, next: page.next };
        }, options.after);
    }
}
export class Introspection {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    get(path, as) {
        const [call, query] = split(as);
        return this.transport.json('GET', `/api/sdk/${path}`, { ...call, query });
    }
    models(as = {}) {
        return this.get('models', as);
    }
    toolSchemas(as = {}) {
        return this.get('tool-schemas', as);
    }
    toolCapabilities(tool, as = {}) {
        return this.get(`tool-capabilities/${at(tool)}`, as);
    }
    systemPrompt(as = {}) {
        return this.get('system-prompt', as);
    }
    promptPreview(query, call = {}) {
        return this.transport.json('POST', '/api/sdk/prompt-preview', { ...call, json: query, safe: true });
    }
    queryPlan(query, call = {}) {
        return this.transport.json('POST', '/api/sdk/query-plan', { ...call, json: query, safe: true });
    }
}
