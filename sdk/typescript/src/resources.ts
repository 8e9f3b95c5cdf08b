import type { Transport } from './http.js';
import { Pages } from './pages.js';
import { split, upload, type ScreenSource } from './perception.js';
import type { Artifact, CallOptions, Decision, Schemas, Tool } from './types.js';

const at = encodeURIComponent;

/** Stored files. */
export class Artifacts {
  constructor(private readonly transport: Transport) {}

  upload(source: ScreenSource, options: CallOptions & { filename?: string } = {}): Promise<Artifact> {
    return upload(this.transport, source, options, true);
  }

  /** The file; of it a range of bytes where headers ask for one. Its body is a stream. */
  download(id: string, call: CallOptions = {}): Promise<Response> {
    return this.transport.request('GET', `/api/artifacts/${at(id)}`, { ...call, stream: true });
  }

  /** Type, length and ETag of a file. */
  async describe(id: string, call: CallOptions = {}): Promise<{ contentType: string | null; size: number; etag: string | null }> {
    const { headers } = await this.transport.request('HEAD', `/api/artifacts/${at(id)}`, call);
    return { contentType: headers.get('content-type'), size: Number(headers.get('content-length')), etag: headers.get('etag') };
  }

  list(options: CallOptions & { limit?: number; after?: string } = {}): Pages<Schemas['ArtifactSummary']> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['ArtifactList']>('GET', '/api/artifacts/', { ...call, query: { ...query, after } });
      return { items: page.artifacts, next: page.next };
    }, options.after);
  }

  delete(id: string, call: CallOptions = {}): Promise<Schemas['Deleted']> {
    return this.transport.json('DELETE', `/api/artifacts/${at(id)}`, call);
  }

  /** Keeps a file until it is deleted. */
  keep(id: string, call: CallOptions = {}): Promise<Artifact> {
    return this.transport.json('PUT', `/api/artifacts/${at(id)}/keep`, call);
  }

  unkeep(id: string, call: CallOptions = {}): Promise<Artifact> {
    return this.transport.json('DELETE', `/api/artifacts/${at(id)}/keep`, call);
  }
}

/** Tools of the gateway. */
export class Tools {
  constructor(private readonly transport: Transport) {}

  async list(options: CallOptions & { tag?: string } = {}): Promise<Tool[]> {
    const [call, query] = split(options);
    return (await this.transport.json<Schemas['ToolList']>('GET', '/api/tools', { ...call, query })).tools;
  }

  get(id: string, call: CallOptions = {}): Promise<Tool> {
    return this.transport.json('GET', `/api/tools/${at(id)}`, call);
  }

  /** Calls a tool, once, and returns its result. */
  async invoke<T = unknown>(id: string, input: object = {}, call: CallOptions = {}): Promise<T> {
    const answer = await this.transport.json<{ result: T }>('POST', `/api/tools/${at(id)}/invoke`, { ...call, json: input, keyed: true });
    return answer.result;
  }

  /** Calls a tool, once, and returns all of the answer: what it shows besides its result, what it took, and the id by which the log has the call. */
  async call(id: string, input: object = {}, call: CallOptions = {}): Promise<Schemas['ToolResult'] & { callId: string | null }> {
    const response = await this.transport.request('POST', `/api/tools/${at(id)}/invoke`, { ...call, json: input, keyed: true });
    return Object.assign(this.transport.parse(await response.text()) as Schemas['ToolResult'], { callId: response.headers.get('x-request-id') });
  }
}

export class Conversations {
  constructor(
    private readonly transport: Transport,
    private readonly tools: Tools,
  ) {}

  /** Begins a conversation. Its id goes into prompts. */
  async create(call: CallOptions = {}): Promise<string> {
    return (await this.tools.invoke<{ id: string }>('conversation.create', {}, call)).id;
  }

  list(options: CallOptions & { since?: Date; until?: Date; limit?: number; after?: string } = {}): Pages<Schemas['ConversationSummary']> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['ConversationPages']>('GET', '/api/conversations', { ...call, query: { ...query, after } });
      return { items: page.conversations, next: page.next };
    }, options.after);
  }

  /** A conversation with its prompts, the oldest first. */
  get(conversationId: string, options: CallOptions & { limit?: number; cursor?: string } = {}): Promise<Schemas['ConversationSummary'] & { prompts: Schemas['Prompt'][]; truncated?: boolean; nextCursor?: string }> {
    const [call, input] = split(options);
    return this.tools.invoke('conversation.get', { conversationId, ...input }, call);
  }

  delete(id: string, call: CallOptions = {}): Promise<Schemas['Deleted']> {
    return this.transport.json('DELETE', `/api/conversations/${at(id)}`, call);
  }
}

/** What waits for a person's yes or no. A local gateway asks for the approvalKey of the client. */
export class Decisions {
  constructor(private readonly transport: Transport) {}

  list(options: CallOptions & { state?: string; via?: Schemas['DecisionProtocol']; limit?: number; after?: string } = {}): Pages<Decision> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['DecisionList']>('GET', '/api/decisions', { ...call, query: { ...query, after } });
      return { items: page.decisions, next: page.next };
    }, options.after);
  }

  get(id: string, call: CallOptions = {}): Promise<Decision> {
    return this.transport.json('GET', `/api/decisions/${at(id)}`, call);
  }

  approve(id: string, call: CallOptions = {}): Promise<Decision> {
    return this.transport.json('POST', `/api/decisions/${at(id)}`, { ...call, json: { approved: true }, safe: true });
  }

  reject(id: string, options: CallOptions & { reason?: string } = {}): Promise<Decision> {
    const [call, body] = split(options);
    return this.transport.json('POST', `/api/decisions/${at(id)}`, { ...call, json: { approved: false, ...body }, safe: true });
  }

  /** What the user said about calls once and for all. */
  async rules(call: CallOptions = {}): Promise<Schemas['WSPolicyRule'][]> {
    return (await this.transport.json<Schemas['Rules']>('GET', '/api/rules', call)).rules;
  }

  /** Puts rules in place of those before. They hold from the next answer of a model. */
  async setRules(rules: Schemas['WSPolicyRule'][], call: CallOptions = {}): Promise<Schemas['WSPolicyRule'][]> {
    return (await this.transport.json<Schemas['Rules']>('PUT', '/api/rules', { ...call, json: { rules } })).rules;
  }
}

export class Embeddings {
  constructor(private readonly transport: Transport) {}

  /** The vector of a text. Texts of similar meaning have vectors that are close to each other. */
  create(text: string, options: CallOptions & { model_name?: string } = {}): Promise<Schemas['Embedding']> {
    const [call, body] = split(options);
    return this.transport.json('POST', '/api/embeddings/', { ...call, json: { text, ...body }, safe: true });
  }

  health(call: CallOptions = {}): Promise<Schemas['EmbeddingsHealth']> {
    return this.transport.json('GET', '/api/embeddings/health', call);
  }
}

export class Semantic {
  constructor(private readonly transport: Transport) {}

  summarize(request: Schemas['SemanticSummarize'], call: CallOptions = {}): Promise<Schemas['SemanticSummary']> {
    return this.transport.json('POST', '/api/semantic/summarize', { ...call, json: request, safe: true });
  }

  title(request: Schemas['SemanticTitleRequest'], call: CallOptions = {}): Promise<Schemas['SemanticTitle']> {
    return this.transport.json('POST', '/api/semantic/title', { ...call, json: request, safe: true });
  }

  health(call: CallOptions = {}): Promise<Schemas['SemanticHealth']> {
    return this.transport.json('GET', '/api/semantic/health', call);
  }
}

/** Plugins, for the operator. */
export class Plugins {
  constructor(private readonly transport: Transport) {}

  async list(call: CallOptions = {}): Promise<Schemas['Plugin'][]> {
    return (await this.transport.json<Schemas['PluginList']>('GET', '/api/plugins', call)).plugins;
  }

  /** Adds a plugin, or a new version of it, of the fields of a form. */
  add(form: FormData, call: CallOptions = {}): Promise<Schemas['Plugin']> {
    return this.transport.json('POST', '/api/plugins', { ...call, body: form, keyed: true });
  }

  get(name: string, call: CallOptions = {}): Promise<Schemas['Plugin']> {
    return this.transport.json('GET', `/api/plugins/${at(name)}`, call);
  }

  remove(name: string, call: CallOptions = {}): Promise<void> {
    return this.transport.json('DELETE', `/api/plugins/${at(name)}`, call);
  }

  enable(name: string, call: CallOptions = {}): Promise<Schemas['Plugin']> {
    return this.transport.json('POST', `/api/plugins/${at(name)}/enable`, { ...call, safe: true });
  }

  disable(name: string, call: CallOptions = {}): Promise<Schemas['Plugin']> {
    return this.transport.json('POST', `/api/plugins/${at(name)}/disable`, { ...call, safe: true });
  }

  getGrant(name: string, call: CallOptions = {}): Promise<Schemas['Grant']> {
    return this.transport.json('GET', `/api/plugins/${at(name)}/grant`, call);
  }

  putGrant(name: string, grant: Schemas['Grant'], call: CallOptions = {}): Promise<unknown> {
    return this.transport.json('PUT', `/api/plugins/${at(name)}/grant`, { ...call, json: grant });
  }
}

/** The calls of tools that were made, for the operator. */
export class Audit {
  constructor(private readonly transport: Transport) {}

  list(
    options: CallOptions & { user?: string; tool?: string; protocol?: Schemas['CallProtocol']; outcome?: Schemas['CallOutcome']; since?: Date; until?: Date; limit?: number; after?: string } = {},
  ): Pages<Schemas['AuditRecord']> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['AuditPage']>('GET', '/api/audit', { ...call, query: { ...query, after } });
      return { items: page.records, next: page.next };
    }, options.after);
  }
}

/** What a model is asked, without asking it. */
export class Introspection {
  constructor(private readonly transport: Transport) {}

  private get<T>(path: string, as: As): Promise<T> {
    const [call, query] = split(as);
    return this.transport.json('GET', `/api/sdk/${path}`, { ...call, query });
  }

  models(as: As = {}): Promise<Schemas['ModelCatalogue']> {
    return this.get('models', as);
  }

  toolSchemas(as: As = {}): Promise<Schemas['ToolSchemaLists']> {
    return this.get('tool-schemas', as);
  }

  toolCapabilities(tool: string, as: As = {}): Promise<Schemas['ToolCapabilities']> {
    return this.get(`tool-capabilities/${at(tool)}`, as);
  }

  systemPrompt(as: As = {}): Promise<Schemas['SystemPrompt']> {
    return this.get('system-prompt', as);
  }

  promptPreview(query: Schemas['PromptRequest'], call: CallOptions = {}): Promise<Schemas['PromptPreview']> {
    return this.transport.json('POST', '/api/sdk/prompt-preview', { ...call, json: query, safe: true });
  }

  queryPlan(query: Schemas['PromptRequest'], call: CallOptions = {}): Promise<Schemas['QueryPlan']> {
    return this.transport.json('POST', '/api/sdk/query-plan', { ...call, json: query, safe: true });
  }
}

/** By whose settings something is shown. */
export type As = CallOptions & { user_id?: string; model_id?: string; model_provider?: string; interaction_mode?: Schemas['InteractionMode'] };
