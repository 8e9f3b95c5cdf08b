// Package envelope reads and writes the XML-like text in which desktop clients wrap the messages of
// their users.
package envelope

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Envelope is a query: the user's message, with context that the client adds for the model. The
// model reads it as text, and clients may write this text themselves:
//
//	<system_context>
//	…
//	</system_context>
//
//	<user_query>
//	…
//	</user_query>
//
// Only the query is the user's own words. Everything else is fenced as untrusted, because anybody
// may have written a window title, a note or a file.
//
// No text can end its element or begin another element. In the fenced text and in the query, "&lt;"
// replaces each "<" that would begin a tag of the envelope.
type Envelope struct {
	Sections []section // sections before the query, in order
	Query    string
}

// section is an element of an envelope before the query.
type section struct{ Name, Text string }

// Names of an envelope's elements.
const (
	querySection   = "user_query"
	SystemSection  = "system_context"
	otherSection   = "context" // for text outside of all elements
	nothingWritten = "None"    // clients write this into an empty section
)

// SectionPattern matches the start of an element that a client may send. markupPattern also matches
// the query's. tagPattern matches all tags that a text must not have, those around a repository's
// instructions included.
var (
	SectionPattern = regexp.MustCompile(`<(system_context|attachment_context|episodic_memory|semantic_memory|context)>`)
	markupPattern  = regexp.MustCompile(`<(?:system_context|attachment_context|episodic_memory|semantic_memory|context|user_query)>`)
	tagPattern     = regexp.MustCompile(`(?i)(?:<|&(?:amp;)*lt;)\s*/?\s*(?:system_context|attachment_context|episodic_memory|semantic_memory|context|user_query|repo_instructions)\b`)
)

// inert escapes the tags of the envelope in a text. An escaped tag gets another "amp;", so literal
// can restore the text.
func inert(text string) string {
	return tagPattern.ReplaceAllStringFunc(text, func(tag string) string {
		if rest, tagged := strings.CutPrefix(tag, "<"); tagged {
			return "&lt;" + rest
		}
		return "&amp;" + tag[1:]
	})
}

// literal reverses inert.
func literal(text string) string {
	return tagPattern.ReplaceAllStringFunc(text, func(tag string) string {
		if rest, escaped := strings.CutPrefix(tag, "&lt;"); escaped {
			return "<" + rest
		}
		if rest, escaped := strings.CutPrefix(tag, "&amp;"); escaped {
			return "&" + rest
		}
		return tag
	})
}

// add adds a section, unless it is empty.
func (e *Envelope) add(name, text string) {
	if text = strings.TrimSpace(literal(text)); text != "" {
		e.Sections = append(e.Sections, section{name, text})
	}
}

// Parse parses a client's message: content with tags such as <user_query>, and optionally the text
// of the query. An empty text means that the query is the last <user_query> in content, or the
// whole content if it has no tags.
func Parse(content, text string) Envelope {
	text = strings.TrimSpace(text)
	before, said, behind := CutQuery(content)
	var e Envelope
	e.Context(before)
	e.Query = text
	switch {
	case text == "":
		e.Query = said
	case said != text:
		e.add(otherSection, said)
	}
	e.Context(behind)
	return e
}

// CutQuery splits content into the last <user_query>, the text before the query, and the text after
// it. If content has no tags, all of it is the query.
func CutQuery(content string) (before, query, behind string) {
	const begin, end = "<" + querySection + ">", "</" + querySection + ">"
	at := strings.LastIndex(content, begin)
	switch {
	case at >= 0:
		before = content[:at]
		query, behind, _ = strings.Cut(content[at+len(begin):], end)
	case markupPattern.MatchString(content):
		before = content
	default:
		query = content
	}
	return before, strings.TrimSpace(literal(query)), behind
}

// Context adds the sections in text to the envelope. Text outside of all sections becomes a section
// of its own.
func (e *Envelope) Context(text string) {
	for text != "" {
		at := SectionPattern.FindStringSubmatchIndex(text)
		if at == nil {
			e.add(otherSection, text)
			return
		}
		name := text[at[2]:at[3]]
		e.add(otherSection, text[:at[0]])
		var inner string
		inner, text, _ = strings.Cut(text[at[1]:], "</"+name+">")
		e.add(name, inner)
	}
}

// Structured returns the envelope of a query. The context of the query is in c, and text is the
// user's text. If c is nil, the query has no context.
func Structured(c *sdkapi.QueryContext, text string) Envelope {
	e := Envelope{Query: strings.TrimSpace(text)}
	if c == nil {
		return e
	}
	var known []string
	for key, value := range c.SystemContext {
		known = append(known, fmt.Sprintf("<%s>%s</%[1]s>", key, leafText.Replace(value)))
	}
	slices.Sort(known) // maps have no order, and equal queries must give equal bytes
	sections := []section{
		{SystemSection, strings.Join(known, "\n")}, {"attachment_context", c.AttachmentContext},
		{"episodic_memory", c.EpisodicMemory}, {"semantic_memory", c.SemanticMemory},
	}
	for _, s := range sections {
		if s.Text = strings.TrimSpace(s.Text); s.Text != "" {
			e.Sections = append(e.Sections, s)
		}
	}
	return e
}

// leafText escapes the text of innermost elements.
var leafText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// LeafLiteral restores the characters &, < and > in a text that was escaped with &amp;, &lt; and &gt;. Use it for
// elements of an envelope that contain only text.
var LeafLiteral = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")

// Parts returns the envelope as the parts of a message.
func (e Envelope) Parts() []session.Part {
	var parts []session.Part
	text := ""
	for _, s := range e.Sections {
		inner := session.Part{Text: inert(s.Text), Untrusted: true}
		if s.Text == nothingWritten {
			inner.Untrusted = false
		}
		text += "<" + s.Name + ">\n"
		parts = append(parts, session.Part{Text: text}, inner)
		text = "\n</" + s.Name + ">\n\n"
	}
	return append(parts, session.Part{Text: text + "<" + querySection + ">\n" + inert(e.Query) + "\n</" + querySection + ">"})
}

// systemKey matches a valid key of system_context.
var systemKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Limits of a structured context and of a repository's instructions.
const (
	maxSystemKeys      = 50
	maxRepoFiles       = 50
	maxRepoInstruction = 256 << 10 // bytes of all instructions together, paths included
)

// CheckContext checks that a context fits into an envelope. If it does not fit, CheckContext fails
// with VALIDATION_ERROR. The paths in the error begin with field, the path of the context in the
// request.
func CheckContext(c *sdkapi.QueryContext, field string) error {
	if c == nil {
		return nil
	}
	f := fault.New("gateway.query", sdkapi.ValidationError, "the query_context is invalid; details.fields lists the problems")
	if len(c.SystemContext) > maxSystemKeys {
		f = f.At(field+".system_context", "expected at most %d members", maxSystemKeys)
	}
	for key := range c.SystemContext {
		if !systemKey.MatchString(key) || tagPattern.MatchString("<"+key) {
			f = f.At(field+".system_context", "expected names of lower-case letters, digits and _ that the envelope does not use itself, but found %.64q", key)
			break
		}
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

// Instructions converts the instruction files of a repository for a session. It fails with
// VALIDATION_ERROR if there are too many files, or if they are too long. The error names field, the
// path of the files in the request.
func Instructions(list []sdkapi.RepoInstruction, field string) ([]session.Instruction, error) {
	bytes, kept := 0, []session.Instruction(nil)
	for _, i := range list {
		bytes += len(i.Path) + len(i.Content)
		if strings.TrimSpace(i.Content) != "" {
			kept = append(kept, session.Instruction{Path: i.Path, Text: strings.TrimSpace(i.Content)})
		}
	}
	if len(list) > maxRepoFiles || bytes > maxRepoInstruction {
		return nil, fault.New("gateway.query", sdkapi.ValidationError, "the repository's instructions are too long").
			At(field, "expected at most %d files with together at most %d bytes", maxRepoFiles, maxRepoInstruction)
	}
	return kept, nil
}
