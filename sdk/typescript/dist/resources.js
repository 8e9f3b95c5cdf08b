import { Pages } from './pages.js';
import { split, upload } from './perception.js';
const at = encodeURIComponent;
/** Stored files. */
export class Artifacts {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    upload(source, options = {}) {
        return upload(this.transport, source, options);
    }
    /** The file; of it a range of bytes where headers ask for one. Its body is a stream. */
    download(id, call = {}) {
        return this.transport.request('GET', `/api/artifacts/${at(id)}`, { ...call, stream: true });
    }
    /** Type, length and ETag of a file. */
    async describe(id, call = {}) {
        const { headers } = await this.transport.request('HEAD', `/api/artifacts/${at(id)}`, call);
        return { contentType: headers.get('content-type'), size: Number(headers.get('content-length')), etag: headers.get('etag') };
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/artifacts/', { ...call, query: { ...query, after } });
            return { items: page.artifacts, next: page.next };
        });
    }
    delete(id, call = {}) {
        return this.transport.json('DELETE', `/api/artifacts/${at(id)}`, call);
    }
    /** Keeps a file until it is deleted. */
    keep(id, call = {}) {
        return this.transport.json('PUT', `/api/artifacts/${at(id)}/keep`, call);
    }
    unkeep(id, call = {}) {
        return this.transport.json('DELETE', `/api/artifacts/${at(id)}/keep`, call);
    }
}
/** Tools of the gateway. */
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
    /** Calls a tool, once, and returns its result. */
    async invoke(id, input = {}, call = {}) {
        const answer = await this.transport.json('POST', `/api/tools/${at(id)}/invoke`, { ...call, json: input, keyed: true });
        return answer.result;
    }
}
export class Conversations {
    transport;
    tools;
    constructor(transport, tools) {
        this.transport = transport;
        this.tools = tools;
    }
    /** Begins a conversation. Its id goes into prompts. */
    async create(call = {}) {
        return (await this.tools.invoke('conversation.create', {}, call)).id;
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/conversations', { ...call, query: { ...query, after } });
            return { items: page.conversations, next: page.next };
        });
    }
    /** A conversation with its prompts, the oldest first. */
    get(conversationId, options = {}) {
        const [call, input] = split(options);
        return this.tools.invoke('conversation.get', { conversationId, ...input }, call);
    }
    delete(id, call = {}) {
        return this.transport.json('DELETE', `/api/conversations/${at(id)}`, call);
    }
}
/** What waits for a person's yes or no. A local gateway asks for the approvalKey of the client. */
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
        });
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
}
export class Embeddings {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** The vector of a text. Texts of similar meaning have near vectors. */
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
/** Plugins, for the operator. */
export class Plugins {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    async list(call = {}) {
        return (await this.transport.json('GET', '/api/plugins', call)).plugins;
    }
    /** Adds a plugin, or a new version of it, of the fields of a form. */
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
/** What a model is asked, without asking it. */
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
