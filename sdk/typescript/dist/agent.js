import { APIError, ConnectionError, WindieError, errorOf } from './errors.js';
import { newId } from './http.js';
import { upload } from './perception.js';
import { Socket } from './socket.js';
import { inputOf, jsonSchemaOf } from './tools.js';
import { Windie } from './windie.js';
/** What is heard of the agent. */
export class AgentSession {
    socket;
    handlers = new Map();
    constructor(socket) {
        this.socket = socket;
    }
    on(type, handler) {
        const set = this.handlers.get(type) ?? new Set();
        this.handlers.set(type, set);
        set.add(handler);
        return () => set.delete(handler);
    }
    /** Waits for the next message of a type. */
    next(type, accept = () => true) {
        return new Promise(resolve => {
            const off = this.on(type, event => {
                if (accept(event)) {
                    off();
                    resolve(event);
                }
            });
        });
    }
    /** Sends a message of any type, and returns its id. */
    send(type, payload = {}) {
        return this.socket().send(type, payload);
    }
    /** @internal */
    tell(event) {
        for (const handler of [...(this.handlers.get(event.type) ?? []), ...(this.handlers.get('*') ?? [])])
            handler(event);
    }
}
/** Longest list of results that are kept to be sent again. */
const maxKept = 500;
/** An agent that is awake: its conversations, and the tools that run here. */
export class Agent {
    windie;
    options;
    session = new AgentSession(() => this.socket);
    /** Which of this program's tools the gateway took. */
    manifest;
    socket;
    open = [];
    results = new Map(); // by the id of the request
    unheard = new Map(); // results that nobody has said to have got
    life = new AbortController();
    conversationRef = `conv_${newId()}`;
    /** @internal */
    constructor(windie, options, make) {
        this.windie = windie;
        this.options = options;
        const tools = (options.tools ?? []).map(t => ({
            name: t.name, description: t.description ?? t.name, execution_target: 'local_runtime', schema: jsonSchemaOf(t), ...(t.risk && { risk: t.risk }),
        }));
        const handshake = {
            type: 'handshake',
            user_id: options.userId ?? windie.transport.options.userId ?? 'local',
            agent_definition: {
                version: 1,
                approvals: 'client',
                tools: {
                    mode: 'default_plus_client',
                    ...(tools.length > 0 && { client_manifest: { version: 1, tools } }),
                    ...(options.disabledTools && { disabled_tools: options.disabledTools }),
                },
                ...(options.operatingSystem && { runtime: { operating_system: options.operatingSystem } }),
            },
        };
        this.socket = new Socket(windie.transport, handshake, { message: m => this.hear(m), back: () => this.back(), end: e => this.end(e) }, make);
    }
    /** @internal */
    async connect() {
        this.manifest = await this.socket.open();
        const rejected = this.manifest?.rejected ?? [];
        if (rejected.length > 0) {
            this.close();
            throw new WindieError(`the gateway does not take these tools: ${rejected.map(t => `${t.name} (${t.reason})`).join(', ')}`);
        }
        return this;
    }
    /** Says something to the agent and waits for what it says at the end of the turn. An aborted signal ends the turn. */
    async ask(text, options = {}) {
        options.signal?.throwIfAborted();
        const opened = await this.say(text, options);
        const aborted = () => {
            this.socket.send('cancel', { conversation_ref: opened.ref });
            opened.reject(options.signal?.reason);
        };
        options.signal?.addEventListener('abort', aborted, { once: true });
        try {
            return await opened.done;
        }
        finally {
            options.signal?.removeEventListener('abort', aborted);
        }
    }
    /** Says something to the agent, and returns the id of the message. What comes of it, the session hears. */
    async query(text, options = {}) {
        const opened = await this.say(text, options);
        opened.done.catch(() => { }); // nobody waits
        return opened.id;
    }
    async say(text, o) {
        const ref = o.conversationRef ?? this.conversationRef;
        const screenshot = o.screenshot === undefined ? o.screenshotRef : (await upload(this.windie.transport, o.screenshot)).artifact_id;
        const { systemPrompt, workspacePath } = this.options;
        const payload = {
            text, conversation_ref: ref,
            ...(screenshot !== undefined && { screenshot_ref: screenshot }),
            ...(workspacePath !== undefined && { workspace_path: workspacePath }),
            ...(systemPrompt !== undefined && { repo_instruction_messages: [{ path: 'system-prompt', content: systemPrompt }] }),
            ...(o.onBusy && { on_busy: o.onBusy }),
            ...(o.queryContext && { query_context: o.queryContext }),
        };
        const waiting = Promise.withResolvers();
        const opened = { id: newId(), ref, payload, begun: false, turnRef: undefined, error: undefined, ...waiting, done: waiting.promise };
        this.open.push(opened);
        this.socket.send('query', payload, opened.id);
        return opened;
    }
    /** Ends the open turn of a conversation. */
    cancel(conversationRef = this.conversationRef) {
        this.socket.send('cancel', { conversation_ref: conversationRef });
    }
    /** Puts a history in place of the gateway's. */
    rehydrate(messages, conversationRef = this.conversationRef) {
        this.socket.send('rehydrate-conversation', { conversation_ref: conversationRef, messages, rehydrate_mode: 'replace' });
    }
    /** The user's settings. */
    async settings() {
        return (await this.reply('load-settings', {}, 'settings-loaded')).payload.config;
    }
    async updateSettings(change) {
        return (await this.reply('update-settings', change, 'settings-updated')).payload.updated_keys;
    }
    async models() {
        return (await this.reply('list-models', {}, 'models-listed')).payload;
    }
    reply(type, payload, with_) {
        const id = newId();
        const answer = new Promise((resolve, reject) => {
            const off = this.session.on('*', event => {
                if (event.in_reply_to !== id)
                    return;
                off();
                if (event.type === 'error')
                    reject(errorOf(failureOf(event)));
                else if (event.type === with_)
                    resolve(event);
            });
        });
        this.socket.send(type, payload, id);
        return answer;
    }
    hear(message) {
        this.track(message);
        switch (message.type) {
            case 'tool-call':
                if (!message.payload.answered)
                    void this.call(message.payload);
                break;
            case 'tool-bundle':
                if (!message.payload.answered)
                    void this.bundle(message.payload);
                break;
            case 'approval-request':
                if (!message.payload.answered)
                    void this.approve(message.payload);
                break;
            case 'tool-output':
            case 'streaming-complete':
                if (message.type === 'streaming-complete')
                    this.unheard.clear();
                break;
        }
        this.session.tell(message);
    }
    /** Notes how far the turns are. */
    track(message) {
        const refused = message.type === 'error' && message.in_reply_to !== undefined ? this.open.findIndex(o => o.id === message.in_reply_to) : -1;
        if (refused >= 0 && message.type === 'error') {
            const [opened] = this.open.splice(refused, 1);
            opened.reject(errorOf(failureOf(message)));
            return;
        }
        const opened = this.open.find(o => o.ref === message.conversation_ref && (o.turnRef === undefined || o.turnRef === message.turn_ref));
        if (!opened)
            return;
        opened.begun = true;
        opened.turnRef ??= message.turn_ref;
        if (message.type === 'error')
            opened.error = errorOf(failureOf(message));
        if (message.type !== 'streaming-complete')
            return;
        this.open.splice(this.open.indexOf(opened), 1);
        if (opened.error)
            opened.reject(opened.error);
        else
            opened.resolve({ text: message.payload.final_response ?? '', conversationRef: opened.ref, turnRef: opened.turnRef });
    }
    /** Runs a tool once, however often it is asked for, and sends what came of it. */
    async call(asked) {
        const { request_id: id } = asked;
        const result = this.once(id, async () => {
            const done = await this.run(asked.tool_name, asked.parameters, id, asked.risk, asked.reason);
            return { request_id: id, ...done };
        });
        this.report('tool-result', id, await result);
    }
    async bundle(asked) {
        const { bundle_id: id } = asked;
        const result = this.once(id, async () => {
            const steps = [];
            let failed = null;
            let screenshot;
            for (const [i, step] of asked.tools.entries()) {
                const done = await this.run(step.name, step.args, `${id}.${i}`, step.risk, step.reason);
                screenshot = done.data.screenshot_ref ?? screenshot;
                steps.push({ tool: step.name, status: done.success ? 'ok' : 'error', output: done.data.output, ...(done.error !== null && { error: done.error }) });
                if (!done.success) {
                    failed = done.error;
                    break;
                }
            }
            const status = failed === null ? 'success' : steps.length > 1 ? 'partial_failure' : 'failure';
            return { bundle_id: id, status, step_results: steps, error: failed, ...(screenshot && { screenshot_ref: screenshot }) };
        });
        this.report('tool-bundle-result', id, await result);
    }
    once(id, run) {
        let result = this.results.get(id);
        if (!result) {
            result = run();
            this.results.set(id, result);
            if (this.results.size > maxKept)
                this.results.delete(this.results.keys().next().value);
        }
        return result;
    }
    report(type, id, payload) {
        this.unheard.set(id, [type, payload]);
        if (!this.life.signal.aborted)
            this.socket.send(type, payload);
    }
    async run(name, input, requestId, risk, reason) {
        const tool = this.options.tools?.find(t => t.name === name);
        if (!tool)
            return { success: false, data: {}, error: `this client has no tool ${name}` };
        try {
            let given = input;
            if (risk === 'risky' && this.options.onApproval) {
                const answer = full(await this.options.onApproval({ toolName: name, parameters: input, reason: reason ?? '', requestId, local: true }));
                if (!answer.approved)
                    return { success: false, data: {}, error: `the user denied it${answer.reason ? `: ${answer.reason}` : ''}` };
                given = answer.input ?? input;
            }
            const context = { toolName: name, requestId, workspacePath: this.options.workspacePath, signal: this.life.signal };
            const output = await tool.run(await inputOf(tool, given), context);
            if (!showsScreen(output))
                return { success: true, data: { output: output ?? '' }, error: null };
            const { artifact_id } = await upload(this.windie.transport, output.screenshot);
            return { success: true, data: { output: output.output ?? '', screenshot_ref: artifact_id }, error: null };
        }
        catch (error) {
            return { success: false, data: {}, error: error instanceof Error ? error.message : String(error) };
        }
    }
    async approve(asked) {
        let answer = { approved: false, reason: 'this program has nobody to ask' };
        try {
            if (this.options.onApproval) {
                answer = full(await this.options.onApproval({ toolName: asked.tool_name, parameters: asked.parameters, reason: asked.reason, requestId: asked.request_id, local: false }));
            }
        }
        catch (error) {
            answer = { approved: false, reason: String(error) };
        }
        const { approved, input, reason } = answer;
        this.socket.send('approval-decision', { request_id: asked.request_id, approved, ...(input && { parameters: input }), ...(reason && { reason }) });
    }
    /** What is sent on a new connection: the queries that nothing was heard of, where to go on, and the results that may be lost. */
    back() {
        const again = new Set();
        const messages = [];
        for (const { id, ref, payload, begun } of this.open) {
            const resume = begun ? this.socket.resume(ref) : undefined;
            if (!resume)
                messages.push({ id, type: 'query', payload });
            else if (!again.has(ref))
                messages.push(resume);
            again.add(ref);
        }
        for (const [type, payload] of this.unheard.values())
            messages.push({ type, payload });
        return messages;
    }
    end(error) {
        this.life.abort(error);
        for (const opened of this.open.splice(0))
            opened.reject(error);
    }
    /** Ends the connection. Turns go on without it. */
    close() {
        this.socket.close();
        this.end(new ConnectionError('the agent is closed'));
    }
    async [Symbol.asyncDispose]() {
        this.close();
    }
}
const full = (answer) => (typeof answer === 'boolean' ? { approved: answer } : answer);
const showsScreen = (output) => typeof output === 'object' && output !== null && 'screenshot' in output;
const failureOf = ({ payload }) => ({
    status: 0, code: payload.code ?? (payload.reason ?? 'failed').toUpperCase(), message: payload.message, details: payload.details,
});
/** Wakes agents up. */
export class AgentClient {
    options;
    /** Asks everything else of the same gateway. */
    windie;
    constructor(options = {}) {
        this.options = options;
        const { backendUrl, webSocket: _, ...rest } = options;
        this.windie = new Windie({ ...rest, baseURL: backendUrl });
    }
    /** Connects, brings the tools, and returns an agent that can be asked. Close it when it is not needed any longer. */
    async wakeUp(options = {}) {
        return new Agent(this.windie, options, this.options.webSocket).connect();
    }
}
