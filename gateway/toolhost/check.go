package toolhost

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// check validates the fields of a client's message, from a WebSocket or a POST. It returns
// VALIDATION_ERROR that lists all invalid fields.
func check(m sdkapi.AgentClientMessage) error {
	f := fault.New(op, sdkapi.ValidationError, "invalid message")
	for _, bound := range []struct {
		field, value string
		most         int
	}{
		{"sessionId", m.SessionID, 64}, {"clientVersion", m.ClientVersion, sdkapi.MaxAgentVersion}, {"clientId", m.ClientID, sdkapi.MaxAgentClientID},
		{"messageId", m.MessageID, sdkapi.MaxAgentClientID}, {"operatingSystem", m.System, turns.MaxWSName}, {"toolCallId", m.ToolCallID, 256},
		{"approvalId", m.ApprovalID, 256}, {"reason", m.Reason, 2000},
	} {
		if len(bound.value) > bound.most {
			f = f.At(bound.field, "expected at most %d bytes", bound.most)
		}
	}
	if utf8.RuneCountInString(m.Content) > sdkapi.MaxPromptInput {
		f = f.At("content", "expected at most %d characters", sdkapi.MaxPromptInput)
	}
	if len(m.Images) > sdkapi.MaxAgentImages {
		f = f.At("images", "expected at most %d", sdkapi.MaxAgentImages)
	}
	if m.AfterSeq != nil && *m.AfterSeq < 0 {
		f = f.At("afterSeq", "expected 0 or more")
	}
	if strings.IndexFunc(m.System, gateway.Unprintable) >= 0 {
		f = f.At("operatingSystem", "expected printable ASCII")
	}
	for _, kind := range m.Accept {
		if !slices.Contains(sdkapi.AgentExtensions(), kind) {
			f = f.At("accept", "expected only %s", strings.Join(sdkapi.AgentExtensions(), ", "))
			break
		}
	}
	if len(m.GatewayTools) > turns.MaxWSTools || slices.ContainsFunc(m.GatewayTools, func(name string) bool { return name == "" || len(name) > turns.MaxWSName }) {
		f = f.At("gatewayTools", "expected at most %d names of 1 to %d bytes", turns.MaxWSTools, turns.MaxWSName)
	}
	if why := wrongRoot(m.WorkspaceRoot); why != "" {
		f = f.At("workspaceRoot", "%s", why)
	}
	if len(f.Details.Fields) == 0 {
		return nil
	}
	first := f.Details.Fields[0]
	f.Message = fmt.Sprintf("invalid %s: %s: %s", plainType(m.Type), first.Path, first.Message)
	return f
}

// plainType returns kind for an error text, or "message" if kind is empty or longer than 64 bytes.
func plainType(kind string) string {
	if kind == "" || len(kind) > 64 {
		return "message"
	}
	return kind
}

var drive = regexp.MustCompile(`^[A-Za-z]:/`)

// wrongRoot returns the reason why a workspace root is invalid; empty if root is valid or empty. A
// root is an absolute Unix or Windows path, or a UNC share.
func wrongRoot(root string) string {
	slashed := strings.ReplaceAll(root, `\`, "/")
	switch {
	case root == "":
		return ""
	case len(root) > sdkapi.MaxAgentRoot || strings.ContainsFunc(root, func(r rune) bool { return r < ' ' }):
		return "expected at most 4096 bytes without control characters"
	case strings.HasPrefix(root, "/"): // a Unix path: \ may be part of a name
		slashed = root
	case drive.MatchString(slashed):
		slashed = slashed[2:]
	case strings.HasPrefix(slashed, "//"): // a UNC share: //server/share
		slashed = slashed[1:]
	default:
		return "expected an absolute path"
	}
	if slashed != "/" && strings.TrimSuffix(slashed, "/") != path.Clean(slashed) {
		return "expected a path without . and .. parts"
	}
	return ""
}
