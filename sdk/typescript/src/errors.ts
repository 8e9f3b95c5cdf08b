import type { Schemas } from './types.js';

/** Every error of this package. */
export class WindieError extends Error {
  override name = 'WindieError';
}

/** The gateway could not be reached, or the connection broke and could not be had again. */
export class ConnectionError extends WindieError {
  override name = 'ConnectionError';
}

/** The gateway took longer than the call may take. */
export class TimeoutError extends WindieError {
  override name = 'TimeoutError';
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
export class APIError extends WindieError {
  override name = 'APIError';
  /** The HTTP status; 0 for an error that came by a stream or a socket. */
  readonly status: number;
  readonly code: string;
  readonly details: Details;
  /** What to search the gateway's log for. */
  readonly requestId: string | undefined;

  constructor(of: Failure, options?: ErrorOptions) {
    super(of.message, options);
    this.status = of.status;
    this.code = of.code;
    this.details = of.details ?? {};
    this.requestId = of.requestId;
  }
}

/** Several places on the screen match alike. */
export class AmbiguousMatchError extends APIError {
  override name = 'AmbiguousMatchError';
  get candidates(): Schemas['Target'][] {
    return this.details.resolver_payload?.candidates ?? [];
  }
}

/** Nothing on the screen matches. The nearest misses are listed. */
export class NoMatchError extends APIError {
  override name = 'NoMatchError';
  get nearest(): Schemas['Target'][] {
    return this.details.resolver_payload?.candidates ?? [];
  }
}

/** Fields of the request are wrong. */
export class ValidationError extends APIError {
  override name = 'ValidationError';
  get fields(): Schemas['FieldError'][] {
    return this.details.fields ?? [];
  }
}

/** Too much was asked for. */
export class RateLimitError extends APIError {
  override name = 'RateLimitError';
  /** After how many seconds to ask again. */
  get retryAfter(): number | undefined {
    return this.details.retry_after;
  }
}

/** The last message of the session or conversation is still worked on. */
export class TurnRunningError extends APIError {
  override name = 'TurnRunningError';
}

/** The agent waits for what comes of a tool. */
export class ToolPendingError extends APIError {
  override name = 'ToolPendingError';
  get toolRequest(): Schemas['V1ToolCall'] | undefined {
    return this.details.tool_request;
  }
}

const classes: Record<string, typeof APIError> = {
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
export function errorOf(of: Failure): APIError {
  return new (classes[of.code] ?? APIError)(of);
}

/** The codes of responses without a body, such as those to HEAD. */
const codesOfStatus: Record<number, string> = { 401: 'AUTH_REQUIRED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND', 429: 'RATE_LIMITED' };

/** Reads a response that is no success. A proxy's page becomes an error too. */
export async function errorFrom(response: Response): Promise<APIError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const text = await response.text().catch(() => undefined);
  const code = text === '' ? codesOfStatus[response.status] : undefined;
  if (code) return errorOf({ status: response.status, code, message: `the response was ${response.status}`, requestId });
  try {
    const { error } = JSON.parse(text ?? '') as Schemas['ErrorResponse'];
    if (typeof error?.code === 'string') {
      return errorOf({
        status: response.status,
        code: error.code,
        message: error.message,
        details: error.details,
        requestId: error.details?.request_id ?? requestId,
      });
    }
  } catch {
    // no JSON: it does not come from the gateway
  }
  return new APIError({
    status: response.status,
    code: 'INTERNAL',
    message: `the response was ${response.status} without an error body; check that the URL is that of a Windie gateway`,
    requestId,
  });
}
