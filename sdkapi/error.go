// Package sdkapi is the wire contract of the gateway: the bodies, events,
// error codes and paths that the server writes and every SDK reads.
//
// One file holds one protocol. The gateway generates its OpenAPI document
// from these types, so a field's tags are its documentation and its rules.
// The package imports nothing of the project's.
package sdkapi

import "time"

// A Code says what kind of failure a request met. Programs branch on it;
// people read the message beside it.
type Code string

// The codes. Each has one HTTP status, kept in the gateway.
const (
	MalformedBody            Code = "MALFORMED_BODY"              // 400: the body ended early or is not what its type says
	AuthRequired             Code = "AUTH_REQUIRED"               // 401: the request does not say on whose behalf it is made
	OriginRefused            Code = "ORIGIN_REFUSED"              // 403: a web page of another site asked
	ToolForbidden            Code = "TOOL_FORBIDDEN"              // 403: the tool is listed, but may not be called here
	OperatorOnly             Code = "OPERATOR_ONLY"               // 403: only who runs the gateway may do this
	PermissionDenied         Code = "PERMISSION_DENIED"           // 403: a plugin asked for what it was not granted
	KeyRequired              Code = "KEY_REQUIRED"                // 403: only a person may see or decide this, and the request does not show that it comes from one
	NotFound                 Code = "NOT_FOUND"                   // 404: no such route
	ArtifactNotFound         Code = "ARTIFACT_NOT_FOUND"          // 404: nothing is stored under that id
	TextNotFound             Code = "TEXT_NOT_FOUND"              // 404: no row matches; the nearest are listed
	CandidateNotFound        Code = "CANDIDATE_NOT_FOUND"         // 404: this image has no row of that id
	TargetNotFound           Code = "TARGET_NOT_FOUND"            // 404: nothing on the image is what was described
	ToolNotFound             Code = "TOOL_NOT_FOUND"              // 404: no tool of that name, or none the caller may see
	SessionNotFound          Code = "SESSION_NOT_FOUND"           // 404: no such session, or somebody else's
	PromptNotFound           Code = "PROMPT_NOT_FOUND"            // 404: no such prompt, or somebody else's
	ConversationNotFound     Code = "CONVERSATION_NOT_FOUND"      // 404: no such conversation, or somebody else's
	MemoryNotFound           Code = "MEMORY_NOT_FOUND"            // 404: the user's memory has no such file
	MemoryChanged            Code = "MEMORY_CHANGED"              // 409: the lines have changed since they were read
	DecisionNotFound         Code = "DECISION_NOT_FOUND"          // 404: nothing of that id waits for an answer of the caller's
	RunNotFound              Code = "RUN_NOT_FOUND"               // 404: no such run
	MethodNotAllowed         Code = "METHOD_NOT_ALLOWED"          // 405: see the Allow header
	RequestTimeout           Code = "REQUEST_TIMEOUT"             // 408: the request stopped arriving
	AmbiguousMatch           Code = "AMBIGUOUS_MATCH"             // 409: several rows match alike; they are listed
	DecisionConflict         Code = "DECISION_CONFLICT"           // 409: it was decided otherwise already, or the answer is to something else
	PromptInConversation     Code = "PROMPT_IN_CONVERSATION"      // 409: the prompt goes with its conversation
	TurnRunning              Code = "TURN_RUNNING"                // 409: the session's last message is still being worked on
	ToolPending              Code = "TOOL_PENDING"                // 409: the agent waits for what comes of a tool at the client
	RunLimit                 Code = "RUN_LIMIT"                   // 409: the workspace has as many runs as it may have, or the run as many events
	RunIsOver                Code = "RUN_ENDED"                   // 409: the run has ended
	LeaseHeld                Code = "LEASE_HELD"                  // 409: somebody else works on it
	LeaseLost                Code = "LEASE_LOST"                  // 409: somebody else has taken over the work
	FollowerLags             Code = "FOLLOWER_LAGS"               // 409: the reader fell too far behind; it can go on from its cursor
	DecisionExpired          Code = "DECISION_EXPIRED"            // 410: it was open for too long, and counts as denied
	KeyInUse                 Code = "IDEMPOTENCY_KEY_IN_USE"      // 409: the first request with this Idempotency-Key is still worked on
	KeyAnswerNotKept         Code = "IDEMPOTENCY_ANSWER_NOT_KEPT" // 409: it was done, and its answer was too large to be kept, or is kept no longer
	KeyOutcomeUnknown        Code = "IDEMPOTENCY_OUTCOME_UNKNOWN" // 409: the gateway stopped while it was worked on
	KeyReused                Code = "IDEMPOTENCY_KEY_REUSED"      // 422: the key came with another request before
	PayloadTooLarge          Code = "PAYLOAD_TOO_LARGE"           // 413: over a documented number of bytes
	UnsupportedMediaType     Code = "UNSUPPORTED_MEDIA_TYPE"      // 415: this route does not read the Content-Type
	RateLimited              Code = "RATE_LIMITED"                // 429: too much was asked for, or is open; Retry-After says when to ask again
	BudgetExceeded           Code = "BUDGET_EXCEEDED"             // 429: the user's tokens or money of the day are used up; details.resets_at says when the next day begins
	RangeNotSatisfiable      Code = "RANGE_NOT_SATISFIABLE"       // 416: the range begins past the end
	UpgradeRequired          Code = "UPGRADE_REQUIRED"            // 426: the route is a WebSocket
	ValidationError          Code = "VALIDATION_ERROR"            // 422: a field is wrong; details.fields says which and why
	FeatureUnavailable       Code = "FEATURE_UNAVAILABLE"         // 422: this gateway runs without the part that this asks for
	ConversationLimit        Code = "CONVERSATION_LIMIT"          // 422: a user has as many conversations as may be
	InvalidImage             Code = "INVALID_IMAGE"               // 422: the image cannot be read, or is over the pixel limit
	Canceled                 Code = "CANCELED"                    // 499: the caller left before the answer
	Internal                 Code = "INTERNAL"                    // 500: our fault; the log has the cause under the request id
	ArtifactDamaged          Code = "ARTIFACT_DAMAGED"            // 500: what lies in the store is not what was stored
	StateDamaged             Code = "STATE_DAMAGED"               // 500: the database is not whole any longer
	ToolError                Code = "TOOL_ERROR"                  // 500: the tool could not do it, and says why; or it failed, and the log has the cause under the request id
	ModelError               Code = "MODEL_ERROR"                 // 502: the language model refused, or could not answer
	ModelContextFull         Code = "MODEL_CONTEXT_FULL"          // 422: the conversation is too long for the model
	ModelSilent              Code = "MODEL_SILENT"                // 502: the language model answered without a word, also when it was asked again
	ModelRateLimited         Code = "MODEL_RATE_LIMITED"          // 503: the model's provider takes no more for now
	ModelUnavailable         Code = "MODEL_UNAVAILABLE"           // 503: the model's provider does not answer
	TranscriptionError       Code = "TRANSCRIPTION_ERROR"         // 502: the transcription server refused, or could not understand
	SearchError              Code = "SEARCH_ERROR"                // 502: the server that searches the web cannot be used as it is set up
	SearchRateLimited        Code = "SEARCH_RATE_LIMITED"         // 503: it takes no more searches for now
	SearchUnavailable        Code = "SEARCH_UNAVAILABLE"          // 503: it does not answer
	Overloaded               Code = "OVERLOADED"                  // 503: too much is waiting already, or the gateway is about to stop; try again later
	OCRUnavailable           Code = "OCR_UNAVAILABLE"             // 503: the text reader is not installed or not working
	StorageUnavailable       Code = "STORAGE_UNAVAILABLE"         // 503: the artifact store does not answer
	StateUnavailable         Code = "STATE_UNAVAILABLE"           // 503: the database does not answer
	TranscriptionUnavailable Code = "TRANSCRIPTION_UNAVAILABLE"   // 503: this gateway has no transcription server, or it does not answer
	RunsUnavailable          Code = "RUNS_UNAVAILABLE"            // 503: runs have no key on this gateway
	ToolStarting             Code = "TOOL_STARTING"               // 503: the tool is being made ready; try again
	Timeout                  Code = "TIMEOUT"                     // 504: the work took longer than its limit
	StorageFull              Code = "STORAGE_FULL"                // 507: there is no room to keep anything more
	QuotaExceeded            Code = "QUOTA_EXCEEDED"              // 507: the user keeps as much as a user may
)

// Codes lists every Code in the order declared.
func Codes() []Code {
	return []Code{
		MalformedBody, AuthRequired, OriginRefused, ToolForbidden, OperatorOnly, PermissionDenied, KeyRequired, NotFound, ArtifactNotFound, TextNotFound, CandidateNotFound, TargetNotFound,
		ToolNotFound, SessionNotFound, PromptNotFound, ConversationNotFound, MemoryNotFound, MemoryChanged, DecisionNotFound, RunNotFound, MethodNotAllowed, RequestTimeout, AmbiguousMatch, DecisionConflict, PromptInConversation, TurnRunning, ToolPending, RunLimit, RunIsOver, LeaseHeld, LeaseLost,
		FollowerLags, DecisionExpired, KeyInUse, KeyAnswerNotKept, KeyOutcomeUnknown, KeyReused, PayloadTooLarge, UnsupportedMediaType, UpgradeRequired, RateLimited, BudgetExceeded, RangeNotSatisfiable,
		ValidationError, FeatureUnavailable, ConversationLimit, InvalidImage, Canceled, Internal, ArtifactDamaged, StateDamaged, ToolError, ModelError,
		ModelContextFull, ModelSilent, ModelRateLimited, ModelUnavailable, SearchError, SearchRateLimited, SearchUnavailable, Overloaded, OCRUnavailable,
		StorageUnavailable, StateUnavailable, RunsUnavailable, TranscriptionError, TranscriptionUnavailable, ToolStarting, Timeout, StorageFull, QuotaExceeded,
	}
}

// ErrorResponse is the body of every answer outside 2xx and 3xx.
type ErrorResponse struct {
	Error Error `json:"error"`
}

// Error gives a program the code, a person what to do, and both the part
// of the request is meant. Errors match under errors.Is when their codes do.
type Error struct {
	Code    Code         `json:"code" doc:"What kind of failure this is; programs branch on it."`
	Message string       `json:"message" doc:"What happened and what to do about it, for a person."`
	Details ErrorDetails `json:"details" doc:"What the failure is about; empty when there is nothing to add."`
	Status  int          `json:"-"` // the HTTP status, set by the SDK; 0 when made elsewhere
}

// ErrorDetails holds what a code adds to its message. Absent parts are empty.
type ErrorDetails struct {
	Fields          []FieldError     `json:"fields,omitempty" doc:"The fields that are wrong, all at once."`
	ResolverPayload *ResolverPayload `json:"resolver_payload,omitempty" doc:"The rows to choose from, for AMBIGUOUS_MATCH and TEXT_NOT_FOUND."`
	Usage           *ToolUsage       `json:"usage,omitempty" doc:"What the call of a tool took before it failed, where that is measured."`
	ToolRequest     *V1ToolCall      `json:"tool_request,omitempty" doc:"What the agent waits for, for TOOL_PENDING."`
	RetryAfter      int              `json:"retry_after,omitempty" minimum:"1" doc:"After how many seconds to ask again, as Retry-After says, for RATE_LIMITED and BUDGET_EXCEEDED."`
	ResetsAt        *time.Time       `json:"resets_at,omitempty" doc:"When the budget of the next day begins, for BUDGET_EXCEEDED."`
	Quota           *QuotaUsage      `json:"quota,omitempty" doc:"What is full, for QUOTA_EXCEEDED."`
	RequestID       string           `json:"request_id,omitempty" doc:"What to search the server's log for."`
}

// QuotaUsage says how much a user keeps, and may.
type QuotaUsage struct {
	What  string `json:"what" doc:"What is full: artifacts, artifact_bytes, prompts, or memory_bytes." example:"artifact_bytes"`
	Used  int64  `json:"used" doc:"How much the user keeps, with what each thing takes besides its content."`
	Limit int64  `json:"limit" doc:"How much a user may keep."`
}

// FieldError names one wrong field and what was expected there.
type FieldError struct {
	Path    string `json:"path" doc:"Where the field is." example:"body.image.artifact_id"`
	Message string `json:"message" doc:"What was expected."`
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}
