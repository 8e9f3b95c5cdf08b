// Package sdkapi is the wire contract of the gateway: the bodies, events, error codes and paths
// that the server writes and every SDK reads.
//
// Each file holds one protocol. The gateway generates its OpenAPI document from these types, so a
// field's tags are its documentation and its rules. "Extension" marks a part that the protocol's
// original document lacks. The package imports no other package of this module.
package sdkapi

import "time"

// A Code identifies the kind of a failure. Programs check the code. People read the message of the
// error.
type Code string

// The codes. Each has one HTTP status, which the gateway maps.
const (
	// 400: the body is incomplete or does not match its Content-Type
	MalformedBody Code = "MALFORMED_BODY"
	// 401: the request does not identify its user
	AuthRequired Code = "AUTH_REQUIRED"
	// 403: a web page of another site sent the request
	OriginRefused Code = "ORIGIN_REFUSED"
	ToolForbidden Code = "TOOL_FORBIDDEN" // 403: this gateway lists the tool, but forbids calls to it
	OperatorOnly  Code = "OPERATOR_ONLY"  // 403: only the gateway's operator may use this route
	// 403: a plugin lacks the permission for its request
	PermissionDenied Code = "PERMISSION_DENIED"
	// 403: the request does not prove that a person sent it, or it lacks the API key for runs
	KeyRequired Code = "KEY_REQUIRED"
	// 403: the tool's MCP server needs the user's own sign-in; the message has the page for it
	ConnectionRequired Code = "CONNECTION_REQUIRED"
	NotFound           Code = "NOT_FOUND"          // 404: the route does not exist
	ArtifactNotFound   Code = "ARTIFACT_NOT_FOUND" // 404: no artifact with this id
	// 404: no row of text matches; the error lists the nearest rows
	TextNotFound      Code = "TEXT_NOT_FOUND"
	CandidateNotFound Code = "CANDIDATE_NOT_FOUND" // 404: this image has no row with this id
	// 404: nothing on the image matches the description
	TargetNotFound Code = "TARGET_NOT_FOUND"
	// 404: the tool does not exist, or the caller may not see it
	ToolNotFound    Code = "TOOL_NOT_FOUND"
	SessionNotFound Code = "SESSION_NOT_FOUND" // 404: the session does not exist, or it belongs to another user
	PromptNotFound  Code = "PROMPT_NOT_FOUND"  // 404: the prompt does not exist, or it belongs to another user
	// 404: the conversation does not exist, or it belongs to another user
	ConversationNotFound Code = "CONVERSATION_NOT_FOUND"
	MemoryNotFound       Code = "MEMORY_NOT_FOUND" // 404: the user's memory has no such file
	// 409: the lines of the file have changed since the client read them
	MemoryChanged Code = "MEMORY_CHANGED"
	// 404: no decision with this id waits for the caller
	DecisionNotFound Code = "DECISION_NOT_FOUND"
	RunNotFound      Code = "RUN_NOT_FOUND" // 404: the run does not exist
	// 405: the route does not take this method; the header Allow lists its methods
	MethodNotAllowed Code = "METHOD_NOT_ALLOWED"
	RequestTimeout   Code = "REQUEST_TIMEOUT" // 408: the request arrived too slowly
	// 409: several candidates match equally well; the error lists them
	AmbiguousMatch Code = "AMBIGUOUS_MATCH"
	// 409: the decision already has a different answer, or the answer is for different content
	DecisionConflict Code = "DECISION_CONFLICT"
	// 409: the prompt can only be deleted with its conversation
	PromptInConversation Code = "PROMPT_IN_CONVERSATION"
	// 409: the session's last turn is still running
	TurnRunning Code = "TURN_RUNNING"
	// 409: the agent waits for the result of a client's tool
	ToolPending Code = "TOOL_PENDING"
	// 409: the workspace already has the maximum number of runs, or the run already has the
	// maximum number of events
	RunLimit  Code = "RUN_LIMIT"
	RunIsOver Code = "RUN_ENDED" // 409: the run has ended
	// 409: another worker or gateway holds the lease of the work
	LeaseHeld Code = "LEASE_HELD"
	// 409: another worker or gateway has taken over the lease of the work
	LeaseLost Code = "LEASE_LOST"
	// 409: the reader of a stream fell too far behind; it can resume from its cursor
	FollowerLags Code = "FOLLOWER_LAGS"
	// 410: the decision expired or was withdrawn before its answer; it counts as denied
	DecisionExpired Code = "DECISION_EXPIRED"
	// 409: the first request with this Idempotency-Key is still running
	KeyInUse Code = "IDEMPOTENCY_KEY_IN_USE"
	// 409: the request with this Idempotency-Key was completed, but its response was too large to
	// store or has expired
	KeyAnswerNotKept Code = "IDEMPOTENCY_ANSWER_NOT_KEPT"
	// 409: the gateway stopped before it completed the request with this Idempotency-Key
	KeyOutcomeUnknown Code = "IDEMPOTENCY_OUTCOME_UNKNOWN"
	// 422: the Idempotency-Key was used with a different request
	KeyReused Code = "IDEMPOTENCY_KEY_REUSED"
	// 413: the request or a file exceeds a documented limit in bytes
	PayloadTooLarge Code = "PAYLOAD_TOO_LARGE"
	// 415: the route does not accept the request's Content-Type
	UnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
	// 429: too many requests, or too many open connections; the header Retry-After says when to
	// retry
	RateLimited Code = "RATE_LIMITED"
	// 429: the user's tokens or money for the day are used up; details.resets_at is the start of
	// the next day
	BudgetExceeded Code = "BUDGET_EXCEEDED"
	// 416: the requested range begins after the end of the file
	RangeNotSatisfiable Code = "RANGE_NOT_SATISFIABLE"
	// 426: the route is a WebSocket, but the request is not for a WebSocket
	UpgradeRequired Code = "UPGRADE_REQUIRED"
	// 422: a field is invalid; details.fields names the field and the expected value
	ValidationError Code = "VALIDATION_ERROR"
	// 422: this gateway runs without the part that the request needs
	FeatureUnavailable Code = "FEATURE_UNAVAILABLE"
	// 422: the user has the maximum number of conversations
	ConversationLimit Code = "CONVERSATION_LIMIT"
	// 422: the image cannot be decoded, or exceeds the pixel limit
	InvalidImage Code = "INVALID_IMAGE"
	// 499: the caller disconnected before the response
	Canceled Code = "CANCELED"
	// 500: the gateway failed; its log has the cause and the request id
	Internal Code = "INTERNAL"
	// 500: the stored bytes of an artifact differ from the uploaded bytes
	ArtifactDamaged Code = "ARTIFACT_DAMAGED"
	StateDamaged    Code = "STATE_DAMAGED" // 500: the database is damaged
	// 500: the tool failed. The message of the error has the reason, or the gateway's log has the
	// cause and the request id.
	ToolError        Code = "TOOL_ERROR"
	ModelError       Code = "MODEL_ERROR"        // 502: the language model refused or failed
	ModelContextFull Code = "MODEL_CONTEXT_FULL" // 422: the conversation is too long for the model
	// 502: the language model returned no text, even when it was asked again
	ModelSilent Code = "MODEL_SILENT"
	// 502: the language model's answer does not have the required format, even when it was asked again
	ModelAnswerInvalid Code = "MODEL_ANSWER_INVALID"
	// 503: the model's provider accepts no more requests for now
	ModelRateLimited Code = "MODEL_RATE_LIMITED"
	// 503: the model's provider does not respond
	ModelUnavailable Code = "MODEL_UNAVAILABLE"
	// 502: the transcription server refused or could not process the request
	TranscriptionError Code = "TRANSCRIPTION_ERROR"
	// 502: the web search server is set up wrongly
	SearchError Code = "SEARCH_ERROR"
	// 503: the web search server accepts no more searches for now
	SearchRateLimited Code = "SEARCH_RATE_LIMITED"
	// 503: the web search server does not respond
	SearchUnavailable Code = "SEARCH_UNAVAILABLE"
	// 503: too many requests wait, or the gateway is stopping; retry later
	Overloaded         Code = "OVERLOADED"
	OCRUnavailable     Code = "OCR_UNAVAILABLE"     // 503: the text reader is not installed or does not work
	StorageUnavailable Code = "STORAGE_UNAVAILABLE" // 503: the artifact store does not respond
	StateUnavailable   Code = "STATE_UNAVAILABLE"   // 503: the database does not respond
	// 503: the gateway has no transcription server, or the server does not respond
	TranscriptionUnavailable Code = "TRANSCRIPTION_UNAVAILABLE"
	// 503: runs are disabled, because this gateway has no key for runs
	RunsUnavailable Code = "RUNS_UNAVAILABLE"
	ToolStarting    Code = "TOOL_STARTING"  // 503: the tool is starting; retry
	Timeout         Code = "TIMEOUT"        // 504: the work took longer than its limit
	StorageFull     Code = "STORAGE_FULL"   // 507: the disk has no room for more data
	QuotaExceeded   Code = "QUOTA_EXCEEDED" // 507: the user's storage quota is used up
)

// Codes lists every Code in the order of declaration.
func Codes() []Code {
	return []Code{
		MalformedBody, AuthRequired, OriginRefused, ToolForbidden, OperatorOnly, PermissionDenied, KeyRequired, ConnectionRequired, NotFound, ArtifactNotFound, TextNotFound, CandidateNotFound, TargetNotFound,
		ToolNotFound, SessionNotFound, PromptNotFound, ConversationNotFound, MemoryNotFound, MemoryChanged, DecisionNotFound, RunNotFound, MethodNotAllowed, RequestTimeout, AmbiguousMatch, DecisionConflict, PromptInConversation, TurnRunning, ToolPending, RunLimit, RunIsOver, LeaseHeld, LeaseLost,
		FollowerLags, DecisionExpired, KeyInUse, KeyAnswerNotKept, KeyOutcomeUnknown, KeyReused, PayloadTooLarge, UnsupportedMediaType, UpgradeRequired, RateLimited, BudgetExceeded, RangeNotSatisfiable,
		ValidationError, FeatureUnavailable, ConversationLimit, InvalidImage, Canceled, Internal, ArtifactDamaged, StateDamaged, ToolError, ModelError,
		ModelContextFull, ModelSilent, ModelAnswerInvalid, ModelRateLimited, ModelUnavailable, SearchError, SearchRateLimited, SearchUnavailable, Overloaded, OCRUnavailable,
		StorageUnavailable, StateUnavailable, RunsUnavailable, TranscriptionError, TranscriptionUnavailable, ToolStarting, Timeout, StorageFull, QuotaExceeded,
	}
}

// ErrorResponse is the body of every response whose status is not 2xx or 3xx.
type ErrorResponse struct {
	Error Error `json:"error"`
}

// Error has a code for programs, a message for people, and details. The message says how to fix the
// problem. errors.Is treats two Errors with the same code as equal.
type Error struct {
	Code    Code         `json:"code" doc:"Error code for programs."`
	Message string       `json:"message" doc:"Cause of the failure and its fix, for people."`
	Details ErrorDetails `json:"details" doc:"Details of the failure. May be empty."`
	Type    string       `json:"type,omitempty" doc:"Kind of the failure, in OpenAI's terms. Only below /openai/v1."`
	Param   string       `json:"param,omitempty" doc:"First invalid field of the request. Only below /openai/v1."`
	Status  int          `json:"-"` // the HTTP status; only an SDK sets it, otherwise 0
}

// ErrorDetails holds the details of an error. The code of the error decides which fields are set.
type ErrorDetails struct {
	Fields          []FieldError     `json:"fields,omitempty" doc:"All invalid fields."`
	ResolverPayload *ResolverPayload `json:"resolver_payload,omitempty" doc:"The candidate rows. Only with AMBIGUOUS_MATCH and TEXT_NOT_FOUND."`
	Usage           *ToolUsage       `json:"usage,omitempty" doc:"Resources that the failed tool call used, if they were measured."`
	ToolRequest     *V1ToolCall      `json:"tool_request,omitempty" doc:"The tool call that the agent waits for. Only with TOOL_PENDING."`
	RetryAfter      int              `json:"retry_after,omitempty" minimum:"1" doc:"Seconds to wait before a retry, as in the header Retry-After. Only with RATE_LIMITED and BUDGET_EXCEEDED."`
	ResetsAt        *time.Time       `json:"resets_at,omitempty" doc:"When the next daily budget starts. Only with BUDGET_EXCEEDED."`
	Quota           *QuotaUsage      `json:"quota,omitempty" doc:"The exceeded quota. Only with QUOTA_EXCEEDED."`
	RequestID       string           `json:"request_id,omitempty" doc:"Request id, also in the gateway's log."`
}

// QuotaUsage says how much data a user has stored, and the limit.
type QuotaUsage struct {
	What  string `json:"what" doc:"The exceeded quota: artifacts, artifact_bytes, prompts, or memory_bytes." example:"artifact_bytes"`
	Used  int64  `json:"used" doc:"The user's current storage, including overhead."`
	Limit int64  `json:"limit" doc:"Maximum storage for a user."`
}

// FieldError names an invalid field and the expected value.
type FieldError struct {
	Path    string `json:"path" doc:"Path of the invalid field." example:"body.image.artifact_id"`
	Message string `json:"message" doc:"The expected value of the field."`
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}
