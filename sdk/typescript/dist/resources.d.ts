import type { Transport } from './http.js';
import { Pages } from './pages.js';
import { type ScreenSource } from './perception.js';
import type { Artifact, CallOptions, Decision, Schemas, Tool } from './types.js';
/** Stored files. */
export declare class Artifacts {
    private readonly transport;
    constructor(transport: Transport);
    upload(source: ScreenSource, options?: CallOptions & {
        filename?: string;
    }): Promise<Artifact>;
    /** The file; of it a range of bytes where headers ask for one. Its body is a stream. */
    download(id: string, call?: CallOptions): Promise<Response>;
    /** Type, length and ETag of a file. */
    describe(id: string, call?: CallOptions): Promise<{
        contentType: string | null;
        size: number;
        etag: string | null;
    }>;
    list(options?: CallOptions & {
        limit?: number;
    }): Pages<Schemas['ArtifactSummary']>;
    delete(id: string, call?: CallOptions): Promise<Schemas['Deleted']>;
    /** Keeps a file until it is deleted. */
    keep(id: string, call?: CallOptions): Promise<Schemas['ArtifactSummary']>;
    unkeep(id: string, call?: CallOptions): Promise<Schemas['ArtifactSummary']>;
}
/** Tools of the gateway. */
export declare class Tools {
    private readonly transport;
    constructor(transport: Transport);
    list(options?: CallOptions & {
        tag?: string;
    }): Promise<Tool[]>;
    get(id: string, call?: CallOptions): Promise<Tool>;
    /** Calls a tool, once, and returns its result. */
    invoke<T = unknown>(id: string, input?: object, call?: CallOptions): Promise<T>;
}
export declare class Conversations {
    private readonly transport;
    private readonly tools;
    constructor(transport: Transport, tools: Tools);
    /** Begins a conversation. Its id goes into prompts. */
    create(call?: CallOptions): Promise<string>;
    list(options?: CallOptions & {
        since?: Date;
        until?: Date;
        limit?: number;
    }): Pages<Schemas['ConversationSummary']>;
    /** A conversation with its prompts, the oldest first. */
    get(conversationId: string, options?: CallOptions & {
        limit?: number;
        cursor?: string;
    }): Promise<Schemas['ConversationSummary'] & {
        prompts: Schemas['Prompt'][];
        truncated?: boolean;
        nextCursor?: string;
    }>;
    delete(id: string, call?: CallOptions): Promise<Schemas['Deleted']>;
}
/** What waits for a person's yes or no. A local gateway asks for the approvalKey of the client. */
export declare class Decisions {
    private readonly transport;
    constructor(transport: Transport);
    list(options?: CallOptions & {
        state?: string;
        via?: Schemas['DecisionProtocol'];
        limit?: number;
    }): Pages<Decision>;
    get(id: string, call?: CallOptions): Promise<Decision>;
    approve(id: string, call?: CallOptions): Promise<Decision>;
    reject(id: string, options?: CallOptions & {
        reason?: string;
    }): Promise<Decision>;
}
export declare class Embeddings {
    private readonly transport;
    constructor(transport: Transport);
    /** The vector of a text. Texts of similar meaning have near vectors. */
    create(text: string, options?: CallOptions & {
        model_name?: string;
    }): Promise<Schemas['Embedding']>;
    health(call?: CallOptions): Promise<Schemas['EmbeddingsHealth']>;
}
export declare class Semantic {
    private readonly transport;
    constructor(transport: Transport);
    summarize(request: Schemas['SemanticSummarize'], call?: CallOptions): Promise<Schemas['SemanticSummary']>;
    title(request: Schemas['SemanticTitleRequest'], call?: CallOptions): Promise<Schemas['SemanticTitle']>;
    health(call?: CallOptions): Promise<Schemas['SemanticHealth']>;
}
/** Plugins, for the operator. */
export declare class Plugins {
    private readonly transport;
    constructor(transport: Transport);
    list(call?: CallOptions): Promise<Schemas['Plugin'][]>;
    /** Adds a plugin, or a new version of it, of the fields of a form. */
    add(form: FormData, call?: CallOptions): Promise<Schemas['Plugin']>;
    get(name: string, call?: CallOptions): Promise<Schemas['Plugin']>;
    remove(name: string, call?: CallOptions): Promise<void>;
    enable(name: string, call?: CallOptions): Promise<Schemas['Plugin']>;
    disable(name: string, call?: CallOptions): Promise<Schemas['Plugin']>;
    getGrant(name: string, call?: CallOptions): Promise<Schemas['Grant']>;
    putGrant(name: string, grant: Schemas['Grant'], call?: CallOptions): Promise<unknown>;
}
/** What a model is asked, without asking it. */
export declare class Introspection {
    private readonly transport;
    constructor(transport: Transport);
    private get;
    models(as?: As): Promise<Schemas['ModelCatalogue']>;
    toolSchemas(as?: As): Promise<Schemas['ToolSchemaLists']>;
    toolCapabilities(tool: string, as?: As): Promise<Schemas['ToolCapabilities']>;
    systemPrompt(as?: As): Promise<Schemas['SystemPrompt']>;
    promptPreview(query: Schemas['PromptRequest'], call?: CallOptions): Promise<Schemas['PromptPreview']>;
    queryPlan(query: Schemas['PromptRequest'], call?: CallOptions): Promise<Schemas['QueryPlan']>;
}
/** By whose settings something is shown. */
export type As = CallOptions & {
    user_id?: string;
    model_id?: string;
    model_provider?: string;
    interaction_mode?: Schemas['InteractionMode'];
};
