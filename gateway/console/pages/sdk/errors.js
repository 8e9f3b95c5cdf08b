export class WindieError extends Error {
    name = 'WindieError';
}
export class ConnectionError extends WindieError {
    name = 'ConnectionError';
}
export class TimeoutError extends WindieError {
    name = 'TimeoutError';
}
export class APIError extends WindieError {
    name = 'APIError';
    status;
    code;
    details;
    requestId;
    constructor(of, options) {
        super(of.message, options);
        this.status = of.status;
        this.code = of.code;
        this.details = of.details ?? {};
        this.requestId = of.requestId;
    }
}
export class AmbiguousMatchError extends APIError {
    name = 'AmbiguousMatchError';
    get candidates() {
        return this.details.resolver_payload?.candidates ?? [];
    }
}
export class NoMatchError extends APIError {
    name = 'NoMatchError';
    get nearest() {
        return this.details.resolver_payload?.candidates ?? [];
    }
}
export class ValidationError extends APIError {
    name = 'ValidationError';
    get fields() {
        return this.details.fields ?? [];
    }
}
export class RateLimitError extends APIError {
    name = 'RateLimitError';
    get retryAfter() {
        return this.details.retry_after;
    }
}
export class TurnRunningError extends APIError {
    name = 'TurnRunningError';
}
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
export function errorOf(of) {
    return new (classes[of.code] ?? APIError)(of);
}
const codesOfStatus = { 401: 'AUTH_REQUIRED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND', 429: 'RATE_LIMITED' };
export async function errorFrom(response) {
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const text = await response.text().catch(() => undefined);
    const code = text === '' ? codesOfStatus[response.status] : undefined;
    if (code)
        return errorOf({ status: response.status, code, message: `the response was ${response.status}`, requestId });
    try {
        const { error } = JSON.parse(text ?? '');
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
    }
    return new APIError({
        status: response.status,
        code: 'INTERNAL',
        message: `the response was ${response.status} without an error body; check that the URL is that of a Windie gateway`,
        requestId,
    });
}
