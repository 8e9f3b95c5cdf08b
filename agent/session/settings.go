package session

// Settings are what a session's user chose.
type Settings struct {
	Model    string       `json:"model"`              // id in the catalogue; empty for the deployment's default
	System   string       `json:"system,omitempty"`   // what the model is told in place of the deployment's own
	OS       string       `json:"os,omitempty"`       // what the user's machine runs, as "macOS"
	Only     []string     `json:"only,omitempty"`     // the tools that are offered, by name; empty for all
	Disabled []string     `json:"disabled,omitempty"` // tools that are not offered: names, or patterns as "ocr_*" (see path.Match)
	Tools    []ClientTool `json:"tools,omitempty"`    // that the client brought
	Policy   Policy       `json:"policy,omitempty"`   // besides the deployment's and the user's

	// ClientAsks says that the client asks its user before it runs a tool: what
	// would be asked about here leaves as a request that says how risky it is, and
	// why it should be asked about. What is denied does not leave.
	ClientAsks bool `json:"client_asks,omitempty"`

	// Unaware says that the client may not know that its user is asked: a question
	// waits Limits.Unaware only.
	Unaware bool `json:"unaware,omitempty"`

	Workspace  string        `json:"workspace,omitempty"`  // folder at the client that the user works in
	Repository []Instruction `json:"repository,omitempty"` // instructions of the repository there
}
