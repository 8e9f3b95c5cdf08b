import type { CallOptions } from './types.js';
/** What is told to a logger, or to hooks. Secrets are never among it. */
export interface LogEntry {
    event: 'request' | 'response' | 'retry' | 'error' | 'reconnect' | 'warning';
    method?: string;
    path?: string;
    status?: number;
    requestId?: string | undefined;
    attempt?: number;
    /** Milliseconds. */
    took?: number;
    message?: string;
}
/** How a client reaches its gateway. */
export interface ClientOptions {
    /** The gateway; by default WINDIE_URL of the environment, or else http://127.0.0.1:8765. */
    baseURL?: string | undefined;
    /** The token of an install, which a hosted gateway asks for; by default WINDIE_TOKEN of the environment. */
    token?: string | undefined;
    /** On whose behalf requests are made. */
    userId?: string | undefined;
    /** The key in the file approval.key of a local gateway's data folder, for what only people may see and decide. */
    approvalKey?: string | undefined;
    /** The key of runs. */
    runsKey?: string | undefined;
    /** Milliseconds that a call may take; default 60 s. */
    timeout?: number | undefined;
    /** How often a call is tried again where that does no harm; default 2. */
    maxRetries?: number | undefined;
    /** Sends requests; default: the platform's. */
    fetch?: typeof globalThis.fetch | undefined;
    headers?: Record<string, string> | undefined;
    /** Gets an entry for each request, answer, retry and reconnect. */
    logger?: ((entry: LogEntry) => void) | undefined;
}
export interface Call extends CallOptions {
    query?: object | undefined;
    json?: unknown;
    body?: BodyInit | undefined;
    /** Doing it twice does no harm. */
    safe?: boolean;
    /** The gateway takes an Idempotency-Key for it. */
    keyed?: boolean;
    /** The answer is a stream: the time limit is for its beginning. */
    stream?: boolean;
}
/** A variable of the environment, where there is one. */
export declare function env(name: string): string | undefined;
/** A module of Node, undefined elsewhere. */
export declare function builtin<T>(id: string): T | undefined;
/** Sends requests to one gateway. */
export declare class Transport {
    readonly baseURL: string;
    readonly options: ClientOptions;
    constructor(options?: ClientOptions);
    log(entry: LogEntry): void;
    /** Headers that all requests have. */
    headers(): Record<string, string>;
    url(path: string, query?: object): string;
    /** Sends a request and reads its answer as JSON. */
    json<T>(method: string, path: string, call?: Call): Promise<T>;
    /** Sends a request, again where that does no harm, and returns its answer, which is a success. */
    request(method: string, path: string, call?: Call): Promise<Response>;
    private once;
}
/** The pause before another try, in milliseconds: it grows, and differs from client to client. */
export declare function pauseOf(attempt: number): number;
/** Waits, and rejects with the signal's reason if that ends the wait. */
export declare function sleep(ms: number, signal?: AbortSignal): Promise<void>;
/** A new UUID. */
export declare function newId(): string;
