package session

// Settings are a session's settings by its user.
type Settings struct {
	Model    string       `json:"model"`              // id in the catalogue; empty for the deployment's default
	System   string       `json:"system,omitempty"`   // instructions in place of the deployment's
	OS       string       `json:"os,omitempty"`       // of the user's machine, as "macOS"
	Only     []string     `json:"only,omitempty"`     // names of the offered tools; empty for all
	Disabled []string     `json:"disabled,omitempty"` // tools that are not offered: names, or patterns as "ocr_*" (see path.Match)
	Tools    []ClientTool `json:"tools,omitempty"`    // that the client brought
	Policy   Policy       `json:"policy,omitempty"`   // besides the deployment's and the user's

	// ClientAsks says that the client asks its user: a call with a question goes to
	// the client with its risk and the reason. A denied call does not.
	ClientAsks bool `json:"client_asks,omitempty"`

	// OneByOne says that the client gets each call alone, and the next one when it has
	// answered. Without it, the calls of one answer come as a bundle.
	OneByOne bool `json:"one_by_one,omitempty"`

	// Unaware says that the client may not know of questions to its user, which
	// then wait for Limits.Unaware.
	Unaware bool `json:"unaware,omitempty"`

	Workspace  string        `json:"workspace,omitempty"`  // folder at the client that the user works in
	Repository []Instruction `json:"repository,omitempty"` // instructions of the repository there
}
