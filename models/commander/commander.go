// Package commander is a model that needs no network: it understands plain
// commands, and answers all else with what it can do. It makes the gateway
// useful before anyone has configured a language model, and shows what one
// would do: its calls are real ones.
//
//	click Compose
//	type "hello" into Search, then press enter
//	read the screen
//	run text_upper {"text":"hi"}
//	what tools are there
//
// The same conversation always gets the same answer.
package commander

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/windieos/windie/models"
)

// Model is the commander.
type Model struct{}

var _ models.Model = Model{}

// Driver opens the commander.
var Driver = models.Driver{
	Kind:    "commander",
	Open:    func(models.Provider, models.Secret) (models.Model, error) { return Model{}, nil },
	Offline: true,
}

// Stream answers the last message.
func (Model) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return func(yield func(models.Event, error) bool) {
		text, calls := answer(req)
		events := spoken(text)
		for i := range calls {
			calls[i].ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i)
			events = append(events, models.Event{Kind: models.ToolCall, Call: &calls[i]})
		}
		end := models.Stop
		if len(calls) > 0 {
			end = models.ToolCalls
		}
		usage := models.Usage{Input: tokens(promptBytes(req)), Output: tokens(len(text)), Estimated: true}
		events = append(events, models.Event{Kind: models.UsageKnown, Usage: usage}, models.Event{Kind: models.End, End: end})
		for _, e := range events {
			if err := ctx.Err(); err != nil {
				yield(models.Event{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func spoken(text string) []models.Event {
	var events []models.Event
	for _, word := range strings.SplitAfter(text, " ") {
		if word != "" {
			events = append(events, models.Event{Kind: models.Text, Text: word})
		}
	}
	return events
}

func tokens(bytes int) int { return (bytes + 3) / 4 }

func promptBytes(req models.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range req.Messages {
		n += partBytes(m.Parts)
	}
	return n
}

func partBytes(parts []models.Part) int {
	n := 0
	for _, p := range parts {
		n += len(p.Text)
		if p.Call != nil {
			n += len(p.Call.Name) + len(p.Call.Arguments)
		}
		if p.Result != nil {
			n += partBytes(p.Result.Parts)
		}
	}
	return n
}

// answer returns what to say to the last message, and what to call.
func answer(req models.Request) (string, []models.Call) {
	if len(req.Messages) == 0 {
		return help(req), nil
	}
	last := req.Messages[len(req.Messages)-1]
	if last.Role == models.ToolRole {
		return report(last), nil
	}
	return obey(req, query(last))
}

var queryPattern = regexp.MustCompile(`(?s)<user_query>\s*(.*?)\s*</user_query>`)

// query returns what the user said, without what a client has put around it.
func query(m models.Message) string {
	var texts []string
	for _, p := range m.Parts {
		if p.Text != "" && !imagePattern.MatchString(p.Text) {
			texts = append(texts, p.Text)
		}
	}
	text := strings.Join(texts, "\n")
	if found := queryPattern.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	return strings.TrimSpace(text)
}

var fencePattern = regexp.MustCompile(`</?untrusted-[a-z0-9]+>\n?`)

// statePattern begins the part of a result that describes the client's machine,
// for which nobody asked.
var statePattern = regexp.MustCompile(`^System state: `)

// maxReport is the longest output that is repeated to the user, in bytes.
const maxReport = 4000

// report says what came of calls.
func report(m models.Message) string {
	var lines []string
	for _, p := range m.Parts {
		if p.Result == nil {
			continue
		}
		var told []string
		for _, inner := range p.Result.Parts {
			said := strings.TrimSpace(fencePattern.ReplaceAllString(inner.Text, ""))
			if said != "" && !imagePattern.MatchString(said) && !statePattern.MatchString(said) {
				told = append(told, said)
			}
		}
		text := strings.Join(told, "\n")
		if len(text) > maxReport {
			text = strings.ToValidUTF8(text[:maxReport], "") + " …"
		}
		switch {
		case p.Result.IsError:
			lines = append(lines, "That did not work: "+text)
		case text == "":
			lines = append(lines, "Done.")
		default:
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}
