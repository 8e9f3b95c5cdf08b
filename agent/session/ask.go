package session

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// ask sends the history to the model and appends the answer: each piece as it arrives, for people
// who watch, and the whole answer for the history.
func (w *worker) ask(ctx context.Context) error {
	t := w.state.Turn
	round := t.Round + 1
	if t.Waiting {
		round = t.Round // a gateway that is gone asked before, or the answer was interrupted
	}
	w.fragment = nil
	model, req, err := w.cfg.Model(ctx, w.state.User, w.state.Settings)
	if err != nil {
		return err
	}
	list := Offered(w.cfg.Tools.View(), w.state.Settings)
	asked, err := prompt{&w.cfg, w.state, w.log}.request(ctx, list)
	if err != nil {
		return err
	}
	asked.Model, asked.Reasoning, asked.MaxTokens = req.Model, req.Reasoning, req.MaxTokens
	events := []Event{ModelAsked{Turn: t.ID, Round: round, Model: w.state.Settings.Model, Again: t.Waiting && !t.Renewed}}
	if t.Round == 0 {
		system, user, tools := shown(t.ID, asked)
		if err := w.share(ctx, &system, &tools, list); err != nil {
			return err
		}
		events = append([]Event{system, user, tools}, events...)
	}
	if err := w.append(ctx, events...); err != nil {
		return err
	}
	a := answer{turn: t.ID, message: Message{Role: models.Assistant}, used: callIDs(w.state.Messages), renamed: w.state.Repairs > 0, next: w.state.NextCall}
	if err = w.listen(ctx, model, asked, &a); err == nil {
		return w.append(ctx, a.whole(w.state.Tokens))
	}
	switch again, reason := w.tryRepair(ctx, err, a.said); {
	case again:
		return nil // the answer so far is discarded, here and below
	case reason != "":
		return &recoverable{reason, err}
	}
	w.fragment = a.fragment(w.state.Tokens, asked)
	return err
}

// shown returns the events that show a request to the model.
func shown(turn string, asked models.Request) (SystemPrompt, UserMessage, ToolSchemas) {
	tools := make([]ToolSchema, len(asked.Tools))
	for i, t := range asked.Tools {
		tools[i] = ToolSchema{Name: t.Name, Description: t.Description, Input: t.Schema}
	}
	user := UserMessage{Turn: turn}
	for _, p := range asked.Messages[len(asked.Messages)-1].Parts {
		if p.Image != nil {
			user.Images++
		} else {
			user.Text += p.Text
		}
	}
	return SystemPrompt{Turn: turn, Text: asked.System}, user, ToolSchemas{Turn: turn, Tools: tools}
}

// listen appends the model's answer piece by piece. Pieces that arrive during an append go into the
// next one, so a fast model makes larger events and does not wait.
func (w *worker) listen(ctx context.Context, model models.Model, asked models.Request, a *answer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	late, rest := overdue(ctx)
	defer rest()
	said := make(chan spoken, 256)
	w.all.Go(func() { speak(ctx, model, asked, said) })
	for {
		select {
		case first, more := <-said:
			if !more {
				return a.broken(ctx)
			}
			batch, err := a.take(first, said)
			if appended := w.append(ctx, batch...); appended != nil {
				return appended
			}
			if err != nil {
				return err
			}
		case <-late:
			return a.broken(ctx)
		}
	}
}

// speak sends a model's events to said, until ctx ends.
func speak(ctx context.Context, model models.Model, prompt models.Request, said chan<- spoken) {
	defer close(said)
	for e, err := range model.Stream(ctx, prompt) {
		select {
		case said <- spoken{e, err}:
		case <-ctx.Done():
			return
		}
	}
}

// spoken is a value yielded by a model.
type spoken struct {
	models.Event
	err error
}

// answer collects a model's answer.
type answer struct {
	turn    string
	message Message
	text    strings.Builder // text that is not in message yet
	usage   models.Usage
	end     models.EndReason
	used    map[string]bool // ids of the session's calls
	renamed bool            // all calls get new ids, because earlier ids are no longer known
	next    int             // number of the session's next call
	said    bool            // whether there was text or a thought
	size    int             // size of the answer so far, as JSON
}

// maxAnswer is the maximum size of an answer, in bytes of JSON. It fits into one event of the
// journal.
const maxAnswer = journal.MaxData - 64<<10

// broken returns the reason why an answer has no end; nil if it has one.
func (a *answer) broken(ctx context.Context) error {
	if a.end != "" {
		return nil
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return fault.New("session.ask", sdkapi.ModelError, "the model stopped in the middle of its answer; try again")
}

// take adds first and all pieces that have arrived since, and returns their events.
func (a *answer) take(first spoken, more <-chan spoken) (events []Event, err error) {
	var text, thought strings.Builder
	for next := first; ; {
		if err = next.err; err == nil {
			err = a.grow(next.Event)
		}
		if err != nil {
			break
		}
		switch next.Kind {
		case models.Thinking:
			thought.WriteString(next.Text)
		case models.Text:
			text.WriteString(next.Text)
		}
		a.add(next.Event)
		select {
		case s, open := <-more:
			if open {
				next = s
				continue
			}
		default:
		}
		break
	}
	if thought.Len() > 0 {
		events = append(events, ModelThought{Turn: a.turn, Text: thought.String()})
	}
	if text.Len() > 0 {
		events = append(events, ModelText{Turn: a.turn, Text: text.String()})
	}
	return events, err
}

// grow adds the size of an event, and fails above maxAnswer.
func (a *answer) grow(e models.Event) error {
	const around = 128 // bytes of JSON around a part
	a.size += jsonSize(e.Text)
	if e.Call != nil {
		a.size += around + jsonSize(e.Call.Name) + jsonSize(string(e.Call.Arguments)) + jsonSize(e.Call.ID) + jsonSize(e.Call.Signature)
	}
	if e.Thought != nil {
		a.size += around + jsonSize(e.Thought.Text) + jsonSize(e.Thought.Signature)
	}
	if a.size <= maxAnswer {
		return nil
	}
	return fault.New("session.ask", sdkapi.ModelError, "the model's answer has more than %d KiB, the limit; ask for a shorter one", maxAnswer>>10)
}

// jsonSize returns an upper bound of a text's size as JSON, in bytes.
func jsonSize(text string) (n int) {
	for _, r := range text {
		switch {
		case r < ' ', r == utf8.RuneError, strings.ContainsRune("\"\\\u2028\u2029", r):
			n += len(`\u0000`)
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// add adds an event to the answer. Text stays in a.text until flush. A call gets its final id, and empty arguments
// become an empty object.
func (a *answer) add(e models.Event) {
	a.said = a.said || e.Kind == models.Thinking || e.Kind == models.Text
	switch e.Kind {
	case models.ThoughtEnd:
		a.message.Parts = append(a.message.Parts, Part{Thought: e.Thought})
	case models.Text:
		a.text.WriteString(e.Text)
	case models.ToolCall:
		a.flush()
		call := *e.Call
		call.ID = a.callID(call.ID)
		if len(call.Arguments) == 0 {
			call.Arguments = json.RawMessage(`{}`)
		}
		a.message.Parts = append(a.message.Parts, Part{Call: &call})
	case models.UsageKnown:
		a.usage = e.Usage
	case models.End:
		a.end = e.End
	}
}

// callID returns the id of the answer's next call. It is the provider's id, unless the session has
// used it, or may have used it before a repair. Otherwise it is MadeID and the call's number, which
// is unique.
func (a *answer) callID(given string) string {
	if given == "" || a.used[given] || a.renamed || strings.HasPrefix(given, models.MadeID) {
		for given = models.MadeID + strconv.Itoa(a.next); a.used[given]; given = models.MadeID + strconv.Itoa(a.next) {
			a.next++ // in a session of an older gateway, a provider's id may have this form
		}
	}
	a.next++
	a.used[given] = true
	return given
}

// flush moves the collected text into message, as one part, so that it stays in front of the next call.
func (a *answer) flush() {
	if a.text.Len() > 0 {
		a.message.Parts = append(a.message.Parts, Part{Text: a.text.String()})
		a.text.Reset()
	}
}

// whole returns the complete answer. before is the number of tokens that the session used before
// it.
func (a *answer) whole(before int) ModelAnswered {
	a.flush()
	return ModelAnswered{Turn: a.turn, Message: a.message, Usage: a.usage, End: a.end, Tokens: before + a.usage.Total()}
}

// keptBroken limits each text of an interrupted answer, in bytes.
const keptBroken = 64 << 10

// fragment returns the text of an interrupted answer, for a turn that ends with it; nil if there is
// no text. It omits calls, which are not made, and incomplete thoughts, which providers refuse. Its
// usage is estimated, because providers report usage only at the end.
func (a *answer) fragment(before int, asked models.Request) *ModelAnswered {
	a.flush()
	var texts []Part
	said := 0
	for _, p := range a.message.Parts {
		if p.Text != "" {
			texts = append(texts, Part{Text: shorten(p.Text, keptBroken)})
			said += models.EstimateText(p.Text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	if a.usage == (models.Usage{}) {
		a.usage = models.Usage{Input: models.Estimate(asked), Output: said, Estimated: true}
	}
	whole := a.whole(before)
	whole.Message.Parts, whole.End = texts, ""
	return &whole
}
