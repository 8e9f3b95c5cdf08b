package sdkapi

import "time"

// AuditPath lists past tool calls, for the operator.
const AuditPath = "/api/audit"

// AuditPage is one page of past tool calls, most recently ended first.
type AuditPage struct {
	Records []AuditRecord `json:"records"`
	Next    string        `json:"next,omitempty" doc:"Send it as after for the page behind; absent when there is none."`
}

// AuditRecord describes one past tool call. It does not contain the arguments.
type AuditRecord struct {
	Time       time.Time  `json:"time" doc:"When it ended." example:"2026-01-31T12:00:00.000123Z"`
	UserID     string     `json:"user_id" doc:"On whose behalf it was made."`
	Tool       string     `json:"tool" example:"ocr.find_text"`
	Origin     string     `json:"origin,omitempty" enum:"builtin,wasm,client,mcp" doc:"Who brought the tool; absent where the call did not get to one."`
	Protocol   string     `json:"protocol,omitempty" enum:"http,ws,prompt,mcp,general,openai,host" doc:"What it came by."`
	SessionID  string     `json:"session_id,omitempty" doc:"The session that it belongs to. Of a prompt, its end is what the prompt's id begins with."`
	CallID     string     `json:"call_id,omitempty" doc:"Of a turn, the model's id of the call; else the request's X-Request-ID."`
	Parent     string     `json:"parent,omitempty" doc:"The tool from within which it was called."`
	Digest     string     `json:"digest,omitempty" doc:"SHA-256 of the tool's name and its arguments: alike for calls that are. Absent where the arguments were no JSON."`
	Decision   string     `json:"decision" enum:"none,allowed,forbidden,approved,edited,denied,expired" doc:"Who let it be made: nobody was asked; the rules allow or forbid it; the user approved it, as it was or with other arguments, denied it, or did not answer."`
	DecidedBy  string     `json:"decided_by,omitempty" doc:"The user who decided; absent for the rules."`
	Outcome    string     `json:"outcome" enum:"done,failed,refused,denied,canceled,unknown" doc:"What came of it. A call that was refused did not get to the tool; one that is unknown may have run."`
	Code       string     `json:"code,omitempty" doc:"The code of a failure." example:"TOOL_ERROR"`
	DurationMS float64    `json:"duration_ms" doc:"Milliseconds; 0 where nobody measured."`
	Usage      *ToolUsage `json:"usage,omitempty" doc:"What the call took, where the tool runs in a sandbox that measures it."`
	Tokens     int64      `json:"tokens,omitempty" doc:"Of a turn, what its model had taken by then, in all rounds."`
}
