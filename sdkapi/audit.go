package sdkapi

import "time"

// AuditPath lists past tool calls, for the operator.
const AuditPath = "/api/audit"

// AuditPage is one page of past tool calls. The call that ended last is first.
type AuditPage struct {
	Records []AuditRecord `json:"records"`
	Next    string        `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page."`
}

// AuditRecord describes one past tool call. It does not contain the arguments.
type AuditRecord struct {
	Time       time.Time  `json:"time" doc:"Time at which the call ended." example:"2026-01-31T12:00:00.000123Z"`
	UserID     string     `json:"user_id" doc:"User of the call."`
	Tool       string     `json:"tool" example:"ocr.find_text"`
	Origin     string     `json:"origin,omitempty" enum:"builtin,wasm,client,mcp" doc:"Provider of the tool. Absent if the call did not reach a tool."`
	Protocol   string     `json:"protocol,omitempty" enum:"http,ws,prompt,mcp,general,openai,host" doc:"Protocol of the call."`
	SessionID  string     `json:"session_id,omitempty" doc:"Session of the call. For a prompt, an id made from the prompt's id."`
	CallID     string     `json:"call_id,omitempty" doc:"In a turn, the id that the model gave the call. Otherwise, the X-Request-ID of the request."`
	Parent     string     `json:"parent,omitempty" doc:"The tool that made the call, if a tool made it."`
	Digest     string     `json:"digest,omitempty" doc:"SHA-256 of the tool's name and arguments. Identical calls have the same value. Absent if the arguments were not JSON."`
	Decision   string     `json:"decision" enum:"none,allowed,forbidden,approved,edited,denied,expired" doc:"How the call was approved or denied: no approval needed, allowed or forbidden by rules, approved by the user (with or without changed arguments), denied by the user, or not answered."`
	DecidedBy  string     `json:"decided_by,omitempty" doc:"The user who approved or denied the call. Absent if rules decided."`
	Outcome    string     `json:"outcome" enum:"done,failed,refused,denied,canceled,unknown" doc:"Outcome of the call. If it is refused, the tool was not called. If it is unknown, the tool may have run."`
	Code       string     `json:"code,omitempty" doc:"Error code of a failed call." example:"TOOL_ERROR"`
	DurationMS float64    `json:"duration_ms" doc:"Duration in milliseconds; 0 if it was not measured."`
	Usage      *ToolUsage `json:"usage,omitempty" doc:"Resources that the call used, if a sandbox measured them."`
	Tokens     int64      `json:"tokens,omitempty" doc:"In a turn, the tokens that the model had used before the call."`
}
