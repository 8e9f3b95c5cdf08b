package turns

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/agent/tools/websearch"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// Limits on an agent definition.
const (
	MaxWSTools   = 200      // maximum number of tools of a client, and of names in a list
	MaxWSName    = 64       // maximum length of a name in a list, and of the operating system's name, in bytes
	maxWSToolLen = 64 << 10 // in bytes, of a tool's schema and of its description
)

var (
	approvalWays = []string{"", sdkapi.ApprovalsByRequest, sdkapi.ApprovalsByClient}
	modes        = []string{"", ModeExplicit, "default_plus_client"}
	capabilities = []string{"ocr", "vision", "embeddings", "web_search", "browser"}
)

// DefinedSettings returns the settings of a client's sessions, and a report on each tool of the
// client's manifest (nil without a manifest). The manifest can add tools. The other fields of d
// can remove tools but not add any.
func (s *Turns) DefinedSettings(d *sdkapi.WSAgentDefinition) (session.Settings, *sdkapi.WSManifestResult) {
	settings := session.Settings{Tools: desktop.Tools()}
	if d == nil {
		return settings, nil
	}
	var result *sdkapi.WSManifestResult
	if d.Tools != nil {
		result = s.narrow(&settings, d.Tools)
	}
	settings.ClientAsks = d.Approvals == sdkapi.ApprovalsByClient
	if d.Runtime != nil {
		settings.OS = d.Runtime.OperatingSystem
	}
	settings.Tools = desktop.Narrow(settings.Tools, methodsOf(d))
	return settings, result
}

// DisabledBy lists the tool patterns of each capability. The keys are the names of the
// capabilities. If a client disables a capability, the gateway disables all tools that match the
// capability's patterns.
var DisabledBy = map[string][]string{
	"ocr":        {"ocr_*"},
	"vision":     {"vision_*", "screen_*"},
	"embeddings": {"memory_*"},
	"web_search": {"web_search"},
	"browser":    {"browser", "browser_*"},
}

// narrow restricts settings to the tools that a client wants, and adds the tools of its manifest.
// It returns a report on these tools, or nil without a manifest.
func (s *Turns) narrow(settings *session.Settings, t *sdkapi.WSAgentTools) (result *sdkapi.WSManifestResult) {
	var brought []session.ClientTool
	if m := t.ClientManifest; m != nil {
		tools, told := clientTools(m, s.reserved)
		brought, result = tools, &told
	}
	settings.Tools = slices.DeleteFunc(slices.Clone(settings.Tools), func(t session.ClientTool) bool {
		return slices.ContainsFunc(brought, func(b session.ClientTool) bool { return b.Name == t.Name })
	})
	settings.Tools = append(settings.Tools, brought...)
	settings.Disabled = slices.Clone(t.DisabledTools)
	for _, capability := range t.DisabledCapabilities {
		settings.Disabled = append(settings.Disabled, DisabledBy[capability]...)
	}
	if t.Mode == ModeExplicit || t.Mode == "" && t.AvailableTools != nil {
		settings.Only = append([]string{NoTools}, t.AvailableTools...) // an empty list would allow all
		for _, t := range brought {
			settings.Only = append(settings.Only, t.Name)
		}
	}
	return result
}

// groundedBy is the coordinate method that each disabled capability disables.
var groundedBy = map[string]desktop.Method{"ocr": desktop.OCR, "vision": desktop.Prediction}

// methodsOf returns the coordinate methods of a client's sessions: all, or those that the client
// names, without disabled ones.
func methodsOf(d *sdkapi.WSAgentDefinition) []desktop.Method {
	return slices.DeleteFunc(desktop.Methods(), func(m desktop.Method) bool {
		if r := d.Runtime; r != nil && r.CoordinateMethods != nil && !slices.Contains(r.CoordinateMethods, string(m)) {
			return true
		}
		return d.Tools != nil && slices.ContainsFunc(d.Tools.DisabledCapabilities, func(c string) bool { return groundedBy[c] == m })
	})
}

// reserved reports whether a model may know a tool of the gateway by this name. web_search is
// reserved even if the gateway has no web search.
func (s *Turns) reserved(name string) bool {
	_, found := s.Tools.Named(name)
	return found || name == agent.ModelName(websearch.ToolName)
}

// NoTools is a name that no tool can have. A list with only this name allows no tool, while an
// empty list allows all tools.
const NoTools = "!"

// ErrManifest is the error for a manifest with an unknown version or with more than MaxWSTools
// tools.
var ErrManifest = fmt.Errorf("client_manifest: expected version 1 and at most %d tools", MaxWSTools)

// ModeExplicit is the mode of a client that lists all tools that it wants.
const ModeExplicit = "explicit"

// CheckDefinition returns an error if an agent definition has an unknown value or exceeds a limit.
func CheckDefinition(d *sdkapi.WSAgentDefinition) error {
	if d.Version != 1 {
		return errors.New("agent_definition.version must be 1")
	}
	if !slices.Contains(approvalWays, d.Approvals) {
		return errors.New("agent_definition.approvals must be approval-request or client")
	}
	if t := d.Tools; t != nil {
		if !slices.Contains(modes, t.Mode) {
			return errors.New("agent_definition.tools.mode must be explicit or default_plus_client")
		}
		for _, c := range t.DisabledCapabilities {
			if !slices.Contains(capabilities, c) {
				return fmt.Errorf("unknown capability %.20q", c)
			}
		}
		for _, list := range [][]string{t.AvailableTools, t.DisabledTools, t.DisabledCapabilities} {
			if len(list) > MaxWSTools || slices.ContainsFunc(list, func(name string) bool { return len(name) > MaxWSName }) {
				return fmt.Errorf("expected at most %d names in a list, of at most %d bytes each", MaxWSTools, MaxWSName)
			}
		}
		if m := t.ClientManifest; m != nil && (m.Version != 1 || len(m.Tools) > MaxWSTools) {
			return ErrManifest
		}
	}
	if r := d.Runtime; r != nil {
		if len(r.OperatingSystem) > MaxWSName || strings.IndexFunc(r.OperatingSystem, gateway.Unprintable) >= 0 {
			return fmt.Errorf("operating_system must have at most %d bytes of printable ASCII", MaxWSName)
		}
		for _, m := range r.CoordinateMethods {
			if !slices.Contains(desktop.Methods(), desktop.Method(m)) {
				return fmt.Errorf("unknown coordinate method %.20q", m)
			}
		}
	}
	return nil
}
