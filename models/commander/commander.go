// Package commander is a model that needs no network, for a gateway without a language model. It
// understands simple commands in English and German, and executes them with real calls of tools, one
// after another. A failed call ends a command; the answer then lists what was not done. It answers any
// other message with a list of its commands.
//
//	click Compose
//	type "hello" into Search, then press enter
//	if there is "Continue", then click Continue, otherwise press escape
//	wähle Datei > Speichern
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

// Model is the commander: a model that needs no network and understands only simple commands. The
// zero value is ready to use.
type Model struct{}

var _ models.Model = Model{}

// Driver opens the commander as the only model of its provider.
var Driver = models.Driver{
	Kind:    "commander",
	Open:    func(models.Provider, models.Secret) (models.Model, error) { return Model{}, nil },
	Offline: true,
}

// Stream implements models.Model. It answers the last message of the conversation.
func (Model) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, string(Driver.Kind), req, func(ctx context.Context, out *models.Answer) error {
		text, calls := answer(req)
		text, cut := shortened(text, req.MaxTokens)
		for word := range strings.SplitAfterSeq(text, " ") { // word by word, as a model streams
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := out.Text(word); err != nil {
				return err
			}
		}
		if cut {
			out.Used(models.Usage{})
			out.End(models.Length)
			return ctx.Err()
		}
		for i, c := range calls {
			id := fmt.Sprintf("call_%d_%d", len(req.Messages), i)
			if err := out.Call(models.CallPiece{Index: &i, ID: id, Name: c.Name, Arguments: string(c.Arguments)}); err != nil {
				return err
			}
		}
		out.Used(models.Usage{}) // no tokens were used
		out.End(models.Stop)
		return ctx.Err()
	})
}

// shortened returns the words of text that fit into a number of tokens, by the gateway's estimate.
// The number 0 means no limit. cut is true if a word is missing.
func shortened(text string, tokens int) (_ string, cut bool) {
	end := 0
	for word := range strings.SplitAfterSeq(text, " ") {
		if tokens > 0 && models.EstimateText(text[:end+len(word)]) > tokens {
			return text[:end], true
		}
		end += len(word)
	}
	return text, false
}

var queryPattern = regexp.MustCompile(`(?s)<user_query>\s*(.*?)\s*</user_query>`)

// query returns the user's text without the frame that a client has added.
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
