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

// SettingList lists the gateway's settings with their current values.
type SettingList struct {
	Settings []Setting `json:"settings" doc:"All settings, in the order of windie config."`
}

// Setting is a setting of the gateway with its current value.
type Setting struct {
	Key    string        `json:"key" doc:"Key in the settings file." example:"ocr.languages"`
	Env    string        `json:"env" doc:"Environment variable." example:"WINDIE_OCR_LANGUAGES"`
	Doc    string        `json:"doc" doc:"Description of the setting."`
	Value  string        `json:"value" doc:"Value in the syntax of the command-line flag. Empty for a secret."`
	Preset string        `json:"preset" doc:"Default value."`
	Secret bool          `json:"secret" doc:"Whether the setting is a secret. A secret's value is never shown."`
	Set    bool          `json:"set" doc:"Whether the setting has a non-empty value."`
	Source SettingSource `json:"source" enum:"default,file,environment,flag" doc:"Source of the value."`
}

// SettingSource is the source of a setting's value.
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
	Servers []MCPServer `json:"servers" doc:"The MCP servers in the operator's file, sorted by name."`
}

// MCPServer is an MCP server whose tools the gateway uses.
type MCPServer struct {
	Name    string          `json:"name" doc:"Name of the server in the file. The ids of its tools begin with this name." example:"files"`
	Where   string          `json:"where" enum:"stdio,http" doc:"Whether the server is a local program or a URL."`
	State   string          `json:"state" enum:"ready,known,starting,broken,disabled,sign-in" doc:"Status of the server. If it is \"known\", the next call starts the server. If it is \"sign-in\", the gateway lists its tools when the first user has signed in. If it is \"broken\", the gateway retries within a minute."`
	Problem string          `json:"problem,omitempty" doc:"The last problem with the server."`
	Tools   []MCPServerTool `json:"tools"`
	Notes   []string        `json:"notes" doc:"Problems with the server's tools or with its entry in the file, for example an ignored field."`
	Changes string          `json:"changes,omitempty" doc:"Hash of the current definitions of the changed tools. Send the hash to accept the definitions. Absent if no tool has changed."`
}

// MCPServerTool is a tool of an MCP server.
type MCPServerTool struct {
	ID      string `json:"id" doc:"The tool's id at the gateway." example:"files.read"`
	Name    string `json:"name" doc:"The server's name for the tool." example:"read"`
	Risk    string `json:"risk" enum:"safe,risky,forbidden"`
	Changed bool   `json:"changed" doc:"Whether the tool has changed. Calls are refused until the operator accepts the change."`

	Was *MCPToolDefinition `json:"was,omitempty" doc:"The accepted definition of a changed tool, if it is known."`
	Now *MCPToolDefinition `json:"now,omitempty" doc:"The current definition of a changed tool. Models see it only after the operator accepts it."`
}

// MCPToolDefinition is an MCP server's definition of a tool.
type MCPToolDefinition struct {
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input,omitempty" doc:"JSON Schema of the tool's arguments."`
	Output      json.RawMessage `json:"output,omitempty" doc:"JSON Schema of the tool's output."`
}

// AcceptTools accepts the changed tools of an MCP server.
type AcceptTools struct {
	Changes string `json:"changes" maxLength:"64" doc:"Hash of the changes that you reviewed. If a tool has changed since your review, the gateway rejects the request." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// AcceptedTools lists the accepted tools of an MCP server.
type AcceptedTools struct {
	Accepted []string `json:"accepted" doc:"The server's names for the accepted tools."`
}

// OperatorUserList is one page of users.
type OperatorUserList struct {
	Users []OperatorUser `json:"users" doc:"On a hosted gateway, all users, oldest first. On a local gateway, users who have spent something today or have their own budget."`
	Next  string         `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page."`
}

// OperatorUser is a user with today's spending.
type OperatorUser struct {
	UserID    string    `json:"user_id"`
	CreatedAt time.Time `json:"created_at,omitzero" doc:"When the user was created. Absent on a local gateway, where users have only names."`
	Installs  int       `json:"installs" doc:"Number of installs that are not revoked."`
	OwnBudget bool      `json:"own_budget" doc:"Whether the user has their own budget instead of the budget in the settings."`
	Usage     Usage     `json:"usage" doc:"The user's spend on models today."`
}

// OperatorUserDetails holds everything that operators can see of a user.
type OperatorUserDetails struct {
	User     OperatorUser    `json:"user"`
	Installs []OperatorToken `json:"installs" doc:"The user's installs, including revoked ones, oldest first; at most 500."`
	Kept     []KeptOfUser    `json:"kept" doc:"The user's storage and its limits."`
}

// OperatorToken describes an install: a client of a user, which signs in with a token. InstallToken
// is set only in the response that creates the token.
type OperatorToken struct {
	InstallID       string    `json:"install_id"`
	UserID          string    `json:"user_id"`
	OperatingSystem string    `json:"operating_system" doc:"Operating system that the client reported."`
	CreatedAt       time.Time `json:"created_at"`
	SeenAt          time.Time `json:"seen_at,omitzero" doc:"When the token was last used. Absent if it was never used."`
	RevokedAt       time.Time `json:"revoked_at,omitzero" doc:"When the token was revoked. Absent if it is not revoked."`
	InstallToken    string    `json:"install_token,omitempty" doc:"The token, shown only once, when it is created."`
}

// OperatorTokenRequest asks for a token for a user.
type OperatorTokenRequest struct {
	OperatingSystem string `json:"operating_system,omitempty" maxLength:"64" doc:"Operating system of the client, shown in lists. It must be printable ASCII."`
}

// OperatorBudget is a user's own budget.
type OperatorBudget struct {
	Default     bool  `json:"default,omitempty" doc:"If true, the user gets the budget from the settings again. The other fields must be absent."`
	Tokens      int64 `json:"tokens,omitempty" minimum:"0" doc:"Daily limit of tokens; 0 means no limit."`
	MoneyMicros int64 `json:"money_micros,omitempty" minimum:"0" doc:"Daily limit of cost, in millionths of a unit of the currency; 0 means no limit."`
}

// KeptOfUser says how much data of one kind is stored for a user.
type KeptOfUser struct {
	Kind     string `json:"kind" example:"artifacts"`
	Items    int64  `json:"items"`
	Bytes    int64  `json:"bytes" doc:"Number of bytes; 0 if the bytes are not counted."`
	MaxItems int64  `json:"max_items" doc:"Maximum count; 0 means no limit."`
	MaxBytes int64  `json:"max_bytes" doc:"Maximum bytes; 0 means no limit."`
}

// History holds the gateway's metrics over the last day.
type History struct {
	Seconds int             `json:"seconds" doc:"Length of a period, in seconds."`
	Periods []HistoryPeriod `json:"periods" doc:"Periods since the gateway started, oldest first, for at most one day. The last period is incomplete."`
}

// HistoryPeriod counts the events of one period.
type HistoryPeriod struct {
	EndsAt        time.Time `json:"ends_at"`
	Requests      int64     `json:"requests"`
	Errors        int64     `json:"errors" doc:"Number of requests with a status of 500 to 599."`
	ToolCalls     int64     `json:"tool_calls"`
	ScreensRead   int64     `json:"screens_read" doc:"Number of screens read. Cached screens are not counted."`
	ReadSeconds   float64   `json:"read_seconds" doc:"Time to read the screens, in seconds."`
	ModelRequests int64     `json:"model_requests"`
	ModelCost     float64   `json:"model_cost" doc:"Cost of model requests, in the currency of the model catalogue."`
}

// KeptList lists the kinds of stored data.
type KeptList struct {
	Kinds []KeptKind `json:"kinds" doc:"All types of stored user data."`
}

// KeptKind is one kind of stored data.
type KeptKind struct {
	Kind       string    `json:"kind" example:"conversations"`
	Items      int64     `json:"items"`
	Bytes      int64     `json:"bytes" doc:"Approximate bytes of content."`
	OldestAt   time.Time `json:"oldest_at,omitzero" doc:"Time of the oldest item. Absent if there are no items, or if the time is unknown."`
	Measured   bool      `json:"measured" doc:"Whether the numbers of items and bytes are known."`
	TTLSeconds int64     `json:"ttl_seconds" doc:"Retention in seconds; 0 means forever."`
	Prunable   bool      `json:"prunable" doc:"Whether items of this type can be deleted by age."`
	Aged       int64     `json:"aged" doc:"Number of items that this gateway has deleted by age since it started."`
	Erased     int64     `json:"erased" doc:"Number of items that this gateway has deleted together with their user since it started."`

	Largest []KeptByUser `json:"largest,omitempty" doc:"The five users with the most bytes, largest first. Absent if the type is not counted by user."`
}

// KeptByUser is a user's share of one kind of stored data.
type KeptByUser struct {
	UserID string `json:"user_id"`
	Items  int64  `json:"items"`
	Bytes  int64  `json:"bytes"`
}

// MaxPruneHours bounds the age in a PruneRequest, in hours; beyond it: 422 VALIDATION_ERROR. The
// maximum is about 100 years.
const MaxPruneHours = 100 * 366 * 24

// PruneRequest says which data to delete.
type PruneRequest struct {
	OlderThanHours map[string]int64 `json:"older_than_hours" doc:"Maximum age of the items of each type, in hours, from 1 to 878,400. Older items are deleted."`
	DryRun         bool             `json:"dry_run,omitempty" doc:"If true, the items are counted but not deleted."`
}

// Pruned counts the deleted data.
type Pruned struct {
	Removed bool             `json:"removed" doc:"Whether the items were deleted, not only counted."`
	Kinds   map[string]int64 `json:"kinds" doc:"Number of items of each type. Artifacts that are marked to be kept are not counted."`
}
