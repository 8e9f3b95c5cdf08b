package session

import (
	"context"
	"log/slog"
	"strings"

	"github.com/windieos/windie/models"
)

// keptImages is how many of the newest images a model is shown. Each costs as
// much as a page of text, and of a screen only the last state matters.
const keptImages = 4

// prompt returns what the model is asked in the present state, the same bytes
// for the same state.
func (w *worker) prompt(ctx context.Context, list []Tool) (models.Request, error) {
	req := models.Request{System: w.system(), Tools: forModel(list), User: w.state.User}
	skip := max(0, countImages(w.state.Messages)-keptImages)
	for _, m := range w.state.Messages {
		parts, err := w.parts(ctx, m, m.Parts, &skip)
		if err != nil {
			return models.Request{}, err
		}
		req.Messages = append(req.Messages, models.Message{Role: m.Role, Parts: parts})
	}
	return req, nil
}

// system returns what the model is told first, with the rule about text that
// may hold orders.
func (w *worker) system() string {
	text := w.cfg.System
	if w.state.Settings.System != "" {
		text = w.state.Settings.System
	}
	if os := w.state.Settings.OS; os != "" {
		text += "\n\nThe user's machine runs " + os + "."
	}
	return strings.TrimSpace(text + "\n\n" + fenceRule)
}

func countImages(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += countIn(m.Parts)
	}
	return n
}

func countIn(parts []Part) int {
	n := 0
	for _, p := range parts {
		switch {
		case p.Artifact != "":
			n++
		case p.Result != nil:
			n += countIn(p.Result.Parts)
		}
	}
	return n
}

// parts makes parts of a message what a model takes. The first skip images are
// left out.
func (w *worker) parts(ctx context.Context, m Message, parts []Part, skip *int) ([]models.Part, error) {
	var out []models.Part
	for _, p := range parts {
		switch {
		case p.Artifact != "":
			out = append(out, w.image(ctx, p.Artifact, skip)...)
		case p.Result != nil:
			inner, err := w.parts(ctx, m, p.Result.Parts, skip)
			if err != nil {
				return nil, err
			}
			out = append(out, models.Part{Result: &models.Result{CallID: p.Result.Call, Name: p.Result.Tool, Parts: inner, IsError: p.Result.IsError}})
		case p.Untrusted:
			out = append(out, models.Part{Text: fenced(p.Text, m.Fence)})
		default:
			out = append(out, models.Part{Text: p.Text, Thought: p.Thought, Call: p.Call})
		}
	}
	return out, nil
}

// image returns an image for the model, behind the name by which tools take it.
// One that is gone is told of: it is no reason to end a conversation.
func (w *worker) image(ctx context.Context, id string, skip *int) []models.Part {
	name := models.Part{Text: "[image " + id + "]"}
	if *skip > 0 {
		*skip--
		return []models.Part{name, {Text: "[an older image, not shown again]"}}
	}
	img, err := w.cfg.Image(ctx, w.state.User, id)
	if err != nil {
		w.log.Warn("an image cannot be shown to the model", slog.String("artifact", id), slog.Any("err", err))
		return []models.Part{name, {Text: "[it is not kept any longer]"}}
	}
	return []models.Part{name, {Image: &img}}
}
