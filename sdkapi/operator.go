package sdkapi

import (
	"encoding/json"
	"time"
)

// OperatorPath is the prefix of the routes that administer a gateway.
const OperatorPath = "/api/operator"

// Paths of the routes for operators.
const (
	OperatorSettingsPath   = OperatorPath + "/settings"
	OperatorMCPServersPath = OperatorPath + "/mcp-servers"
	OperatorUsersPath      = OperatorPath + "/users"
	OperatorInstallsPath   = OperatorPath + "/installs"
	OperatorHistoryPath    = OperatorPath + "/history"
	OperatorKeptPath       = OperatorPath + "/kept"
	OperatorPrunePath      = OperatorPath + "/prune"
)

// OperatorUserPath returns the path of a user.
func OperatorUserPath(user string) string { return OperatorUsersPath + "/" + user }

// SettingList lists the settings in force.
type SettingList struct {
	Settings []Setting `json:"settings" doc:"All settings, in the order in which windie config prints them."`
}

// Setting is a setting in force.
type Setting struct {
	Key    string        `json:"key" doc:"What the file of settings calls it." example:"ocr.languages"`
	Env    string        `json:"env" doc:"The variable of the environment." example:"WINDIE_OCR_LANGUAGES"`
	Doc    string        `json:"doc" doc:"What it is for."`
	Value  string        `json:"value" doc:"What it is, as a flag takes it; empty for a secret."`
	Preset string        `json:"preset" doc:"What it is where nobody gives it."`
	Secret bool          `json:"secret" doc:"Its value is never shown."`
	Set    bool          `json:"set" doc:"It is given, and not empty."`
	Source SettingSource `json:"source" enum:"default,file,environment,flag" doc:"Where it comes from."`
}

// SettingSource is the source of a setting.
type SettingSource string

// The sources, from weakest to strongest.
const (
	SettingByDefault     SettingSource = "default"
	SettingByFile        SettingSource = "file"
	SettingByEnvironment SettingSource = "environment"
	SettingByFlag        SettingSource = "flag"
)

// MCPServerList lists MCP servers.
type MCPServerList struct {
	Servers []MCPServer `json:"servers" doc:"The MCP servers of the operator's file, by name."`
}

// MCPServer is an MCP server whose tools the gateway uses.
type MCPServer struct {
	Name    string          `json:"name" doc:"What the file calls it; the group of its tools." example:"files"`
	Where   string          `json:"where" enum:"stdio,http" doc:"Whether it is a program of this machine, or at a URL."`
	State   string          `json:"state" enum:"ready,known,starting,broken,disabled" doc:"Whether its tools can be called. The next call starts one that is known; one that is broken is tried again by itself, within a minute."`
	Problem string          `json:"problem,omitempty" doc:"Why it could not be used the last time."`
	Tools   []MCPServerTool `json:"tools"`
	Notes   []string        `json:"notes" doc:"What is left out of its tools, and what the file says in vain."`
	Changes string          `json:"changes,omitempty" doc:"One hash of all that the changed tools are now; absent if none has changed. Whoever accepts them sends it."`
}

// MCPServerTool is a tool of an MCP server.
type MCPServerTool struct {
	ID      string `json:"id" doc:"The tool's id at the gateway." example:"files.read"`
	Name    string `json:"name" doc:"What the server calls it." example:"read"`
	Risk    string `json:"risk" enum:"safe,risky,forbidden"`
	Changed bool   `json:"changed" doc:"It is not what it was when it was first seen, and is refused until the operator accepts it."`

	Was *MCPToolDefinition `json:"was,omitempty" doc:"Of a changed tool, what was accepted, where that is known."`
	Now *MCPToolDefinition `json:"now,omitempty" doc:"Of a changed tool, what it is now. No model is shown that before it is accepted."`
}

// MCPToolDefinition is an MCP server's definition of a tool.
type MCPToolDefinition struct {
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input,omitempty" doc:"The JSON Schema of its arguments."`
	Output      json.RawMessage `json:"output,omitempty" doc:"The JSON Schema of its answer."`
}

// AcceptTools accepts the changed tools of an MCP server.
type AcceptTools struct {
	Changes string `json:"changes" maxLength:"64" doc:"The changes of the server that were shown. If its tools are others by now, none is accepted." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// AcceptedTools lists the accepted tools of an MCP server.
type AcceptedTools struct {
	Accepted []string `json:"accepted" doc:"What the server calls the tools that had changed."`
}

// OperatorUserList is one page of users.
type OperatorUserList struct {
	Users []OperatorUser `json:"users" doc:"Of a hosted gateway all users, the oldest first; of a local one those who spent something today or have a budget of their own."`
	Next  string         `json:"next,omitempty" doc:"Send it as after for the page behind; absent when there is none."`
}

// OperatorUser is a user with today's spending.
type OperatorUser struct {
	UserID    string    `json:"user_id"`
	CreatedAt time.Time `json:"created_at,omitzero" doc:"Absent on a local gateway, where users have only names."`
	Installs  int       `json:"installs" doc:"Installs that are let in."`
	OwnBudget bool      `json:"own_budget" doc:"The budget is the user's own, not that of the settings."`
	Usage     Usage     `json:"usage" doc:"What the user spent on models today."`
}

// OperatorUserDetails holds everything that operators can see of a user.
type OperatorUserDetails struct {
	User     OperatorUser    `json:"user"`
	Installs []OperatorToken `json:"installs" doc:"The user's installs, the oldest first, revoked ones too; at most 500."`
	Kept     []KeptOfUser    `json:"kept" doc:"How much the user keeps, and how much the user may keep."`
}

// OperatorToken is an install. Its token is set only in the response that creates it.
type OperatorToken struct {
	InstallID       string    `json:"install_id"`
	UserID          string    `json:"user_id"`
	OperatingSystem string    `json:"operating_system" doc:"What the client says that it runs on."`
	CreatedAt       time.Time `json:"created_at"`
	SeenAt          time.Time `json:"seen_at,omitzero" doc:"Absent if it never was."`
	RevokedAt       time.Time `json:"revoked_at,omitzero" doc:"Absent if it is let in."`
	InstallToken    string    `json:"install_token,omitempty" doc:"The token, which is shown once, when it is made."`
}

// OperatorTokenRequest asks for a token for a user.
type OperatorTokenRequest struct {
	OperatingSystem string `json:"operating_system,omitempty" maxLength:"64" doc:"What the client runs on, for the lists: printable characters of ASCII."`
}

// OperatorBudget is a user's own budget.
type OperatorBudget struct {
	Default     bool  `json:"default,omitempty" doc:"Gives the user the budget of the settings again. The others must be absent then."`
	Tokens      int64 `json:"tokens,omitempty" minimum:"0" doc:"Tokens that the user's requests may take in a day; 0: any number."`
	MoneyMicros int64 `json:"money_micros,omitempty" minimum:"0" doc:"What they may cost in a day, in millionths of the currency of the prices; 0: any amount."`
}

// KeptOfUser is a user's stored amount of one kind of data.
type KeptOfUser struct {
	Kind     string `json:"kind" example:"artifacts"`
	Items    int64  `json:"items"`
	Bytes    int64  `json:"bytes" doc:"0 where nobody counts them."`
	MaxItems int64  `json:"max_items" doc:"How many the user may keep; 0: any number."`
	MaxBytes int64  `json:"max_bytes" doc:"How many bytes the user may keep; 0: any number."`
}

// History holds the gateway's metrics over the last day.
type History struct {
	Seconds int             `json:"seconds" doc:"Length of a period."`
	Periods []HistoryPeriod `json:"periods" doc:"Oldest first, since the gateway started, at most one day. The last one is not over yet."`
}

// HistoryPeriod counts the events of one period.
type HistoryPeriod struct {
	EndsAt        time.Time `json:"ends_at"`
	Requests      int64     `json:"requests"`
	Errors        int64     `json:"errors" doc:"Requests with a status of 500 to 599."`
	ToolCalls     int64     `json:"tool_calls"`
	ScreensRead   int64     `json:"screens_read" doc:"Cached screens are not counted."`
	ReadSeconds   float64   `json:"read_seconds" doc:"Time to read these screens."`
	ModelRequests int64     `json:"model_requests"`
	ModelCost     float64   `json:"model_cost" doc:"In the currency of the model catalogue."`
}

// KeptList lists the kinds of stored data.
type KeptList struct {
	Kinds []KeptKind `json:"kinds" doc:"All kinds of things that a gateway keeps of users."`
}

// KeptKind is one kind of stored data.
type KeptKind struct {
	Kind       string    `json:"kind" example:"conversations"`
	Items      int64     `json:"items"`
	Bytes      int64     `json:"bytes" doc:"Bytes of content, about."`
	OldestAt   time.Time `json:"oldest_at,omitzero" doc:"Absent if there is none, or nobody knows."`
	Measured   bool      `json:"measured" doc:"Whether items and bytes are known."`
	TTLSeconds int64     `json:"ttl_seconds" doc:"After which it is removed by itself; 0: never."`
	Prunable   bool      `json:"prunable" doc:"Whether it can be removed by age."`
	Aged       int64     `json:"aged" doc:"What this gateway has removed by age since it began."`
	Erased     int64     `json:"erased" doc:"What it has removed of users who were deleted."`
}

// MaxPruneHours bounds the age in a PruneRequest, in hours; beyond it: 422 VALIDATION_ERROR. It is
// a hundred years.
const MaxPruneHours = 100 * 366 * 24

// PruneRequest says which data to delete.
type PruneRequest struct {
	OlderThanHours map[string]int64 `json:"older_than_hours" doc:"By kind, after how many hours since it was last used something is removed; from 1 to 878,400."`
	DryRun         bool             `json:"dry_run,omitempty" doc:"Only counts."`
}

// Pruned counts the deleted data.
type Pruned struct {
	Removed bool             `json:"removed" doc:"And not only counted."`
	Kinds   map[string]int64 `json:"kinds" doc:"How much, by kind. What was marked to be kept is not among it."`
}
