/** Every error of this package. */
export class WindieError extends Error {
    name = 'WindieError';
}
/** The gateway could not be reached, or the connection broke and could not be had again. */
export class ConnectionError extends WindieError {
    name = 'ConnectionError';
}
/** The gateway took longer than the call may take. */
export class TimeoutError extends WindieError {
    name = 'TimeoutError';
}
/** The gateway refused, or failed. Branch on code: it stays the same, also where two copies of this package are loaded. */
export class APIError extends WindieError {
    name = 'APIError';
    /** The HTTP status; 0 for an error that came by a stream or a socket. */
    status;
    code;
    details;
    /** What to search the gateway's log for. */
    requestId;
    constructor(of, options) {
        super(of.message, options);
        this.status = of.status;
        this.code = of.code;
        this.details = of.details ?? {};
        this.requestId = of.requestId;
    }
}
/** Several places on the screen match alike. */
export class AmbiguousMatchError extends APIError {
    name = 'AmbiguousMatchError';
    get candidates() {
        return this.details.resolver_payload?.candidates ?? [];
    }
}
/** Nothing on the screen matches. The nearest misses are listed. */
export class NoMatchError extends APIError {
    name = 'NoMatchError';
    get nearest() {
        return this.details.resolver_payload?.candidates ?? [];
    }
}
/** Fields of the request are wrong. */
export class ValidationError extends APIError {
    name = 'ValidationError';
    get fields() {
        return this.details.fields ?? [];
    }
}
/** Too much was asked for. */
export class RateLimitError extends APIError {
    name = 'RateLimitError';
    /** After how many seconds to ask again. */
    get retryAfter() {
        return this.details.retry_after;
    }
}
/** The last message of the session or conversation is still worked on. */
export class TurnRunningError extends APIError {
    name = 'TurnRunningError';
}
/** The agent waits for what comes of a tool. */
export class ToolPendingError extends APIError {
    name = 'ToolPendingError';
    get toolRequest() {
        return this.details.tool_request;
    }
}
const classes = {
    AMBIGUOUS_MATCH: AmbiguousMatchError,
    TEXT_NOT_FOUND: NoMatchError,
    TARGET_NOT_FOUND: NoMatchError,
    VALIDATION_ERROR: ValidationError,
    RATE_LIMITED: RateLimitError,
    BUDGET_EXCEEDED: RateLimitError,
    TURN_RUNNING: TurnRunningError,
    TOOL_PENDING: ToolPendingError,
};
/** Makes the error of an answer. */
export function errorOf(of) {
    return new (classes[of.code] ?? APIError)(of);
}
/** Reads an answer that is no success. A proxy's page becomes an error too. */
export async function errorFrom(response) {
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const text = await response.text().catch(() => '');
    try {
        const { error } = JSON.parse(text);
        if (typeof error?.code === 'string') {
            return errorOf({
                status: response.status,
                code: error.code,
                message: error.message,
                details: error.details,
                requestId: error.details?.request_id ?? requestId,
            });
        }
    }
    catch {
        // no JSON: it does not come from the gateway
    }
    return new APIError({
        status: response.status,
        code: 'INTERNAL',
        message: `the answer was ${response.status} without an explanation; is this the URL of a gateway?`,
        requestId,
    });
}
