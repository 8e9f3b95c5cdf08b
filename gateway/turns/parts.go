package turns

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/state/journal"
)

// OutputOf returns the text of a tool's output, one part per line. It omits parts that are marked
// as Aside.
func OutputOf(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Text != "" && !p.Aside {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// TextOf returns the concatenated texts of parts.
func TextOf(parts []session.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// UntrustedText returns a part with text that neither the user nor the gateway has written.
func UntrustedText(text string) session.Part { return session.Part{Text: text, Untrusted: true} }

// KeptBefore returns the id of the first artifact in the stored answer to d. It returns "" if there
// is no such artifact.
func KeptBefore(d journal.Decision) string {
	var before session.Result
	if d.State != journal.Decided || json.Unmarshal(d.Answer.Value, &before) != nil {
		return ""
	}
	for _, p := range before.Parts {
		if p.Artifact != "" {
			return p.Artifact
		}
	}
	return ""
}

// sameSettings compares settings as they are stored: an empty value equals a missing one.
func sameSettings(a, b session.Settings) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
