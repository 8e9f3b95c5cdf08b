import { General, Memory } from './general.js';
import { Transport, type ClientOptions } from './http.js';
import { Pages } from './pages.js';
import { Screen, type ScreenSource } from './perception.js';
import { Prompts } from './prompts.js';
import { Artifacts, Conversations, Decisions, Embeddings, Introspection, Plugins, Semantic, Tools } from './resources.js';
import { Runs } from './runs.js';
import type { CallOptions, Schemas } from './types.js';
/** The version of this package. The releases of the gateway have the same. */
export declare const VERSION = "0.0.0";
/** Keeps the token of an install. */
export interface TokenStore {
    load(): Promise<string | undefined>;
    save(token: string): Promise<void>;
}
/** Keeps a token in a file that only its owner can read. */
export declare function fileTokenStore(path: string): TokenStore;
/** A client of one gateway. */
export declare class Windie {
    readonly options: ClientOptions;
    /** @internal */
    readonly transport: Transport;
    readonly artifacts: Artifacts;
    readonly tools: Tools;
    readonly prompts: Prompts;
    readonly conversations: Conversations;
    readonly decisions: Decisions;
    readonly memory: Memory;
    readonly runs: Runs;
    readonly embeddings: Embeddings;
    readonly semantic: Semantic;
    readonly general: General;
    readonly plugins: Plugins;
    /** What a model is asked, without asking it. */
    readonly agent: Introspection;
    constructor(options?: ClientOptions);
    /** A client of a hosted gateway, with the token that store keeps. The first time it registers for one. */
    static registered(options: ClientOptions & {
        store: TokenStore;
        operatingSystem?: string | undefined;
    }): Promise<Windie>;
    /** A copy of the client with other options, as for another user. */
    with(options: ClientOptions): Windie;
    /** A screen to ask about: a picture, or an artifact that shows one. */
    screen(of: ScreenSource | {
        artifactId: string;
    }): Screen;
    /** Where clients of the Model Context Protocol find the gateway. */
    get mcpURL(): string;
    /** Makes a user and a token of a hosted gateway. It is not tried again: the token is told once. */
    register(operatingSystem?: string, call?: CallOptions): Promise<Schemas['InstallRegistration']>;
    health(call?: CallOptions): Promise<Schemas['Health']>;
    ready(call?: CallOptions): Promise<Schemas['Health']>;
    /** Whether the gateway is of another release than this package. The logger hears of it. */
    checkVersion(call?: CallOptions): Promise<{
        gateway: string;
        sdk: string;
        same: boolean;
    }>;
    capabilities(call?: CallOptions): Promise<Schemas['Capabilities']>;
    /** What was spent on models today. */
    usage(call?: CallOptions): Promise<Schemas['Usage']>;
    /** Figures for Prometheus, for the operator. */
    metrics(call?: CallOptions): Promise<string>;
    /** The calls of tools that were made, for the operator. */
    audit(options?: CallOptions & {
        user?: string;
        tool?: string;
        protocol?: Schemas['CallProtocol'];
        outcome?: Schemas['CallOutcome'];
        since?: Date;
        until?: Date;
        limit?: number;
    }): Pages<Schemas['AuditRecord']>;
}
