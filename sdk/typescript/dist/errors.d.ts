import type { Schemas } from './types.js';
/** Every error of this package. */
export declare class WindieError extends Error {
    name: string;
}
/** The gateway could not be reached, or the connection broke and could not be had again. */
export declare class ConnectionError extends WindieError {
    name: string;
}
/** The gateway took longer than the call may take. */
export declare class TimeoutError extends WindieError {
    name: string;
}
type Details = Schemas['ErrorDetails'];
/** What an answer that is an error was made of. */
export interface Failure {
    status: number;
    code: string;
    message: string;
    details?: Details | undefined;
    requestId?: string | undefined;
}
/** The gateway refused, or failed. Branch on code: it stays the same, also where two copies of this package are loaded. */
export declare class APIError extends WindieError {
    name: string;
    /** The HTTP status; 0 for an error that came by a stream or a socket. */
    readonly status: number;
    readonly code: string;
    readonly details: Details;
    /** What to search the gateway's log for. */
    readonly requestId: string | undefined;
    constructor(of: Failure, options?: ErrorOptions);
}
/** Several places on the screen match alike. */
export declare class AmbiguousMatchError extends APIError {
    name: string;
    get candidates(): Schemas['Target'][];
}
/** Nothing on the screen matches. The nearest misses are listed. */
export declare class NoMatchError extends APIError {
    name: string;
    get nearest(): Schemas['Target'][];
}
/** Fields of the request are wrong. */
export declare class ValidationError extends APIError {
    name: string;
    get fields(): Schemas['FieldError'][];
}
/** Too much was asked for. */
export declare class RateLimitError extends APIError {
    name: string;
    /** After how many seconds to ask again. */
    get retryAfter(): number | undefined;
}
/** The last message of the session or conversation is still worked on. */
export declare class TurnRunningError extends APIError {
    name: string;
}
/** The agent waits for what comes of a tool. */
export declare class ToolPendingError extends APIError {
    name: string;
    get toolRequest(): Schemas['V1ToolCall'] | undefined;
}
/** Makes the error of an answer. */
export declare function errorOf(of: Failure): APIError;
/** Reads an answer that is no success. A proxy's page becomes an error too. */
export declare function errorFrom(response: Response): Promise<APIError>;
export {};
