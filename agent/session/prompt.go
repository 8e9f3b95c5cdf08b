package session

import (
	"context"
	"log/slog"
	"strings"

	"github.com/windieos/windie/models"
)

// keptImages is the maximum number of images that a model gets, the newest ones. Each image costs
// as much as a page of text, and only the last state of a screen matters.
const keptImages = 4

// prompt makes a request to the model: the same bytes for the same state, for a turn and for a
// preview. It consists of the system prompt, a repository's instructions, the memory, and the
// history, in this order.
type prompt struct {
	cfg   *Config
	state *State // has an open turn
	log   *slog.Logger
}

// request returns the request for the next answer. It replaces the oldest images beyond keptImages.
func (p prompt) request(ctx context.Context, list []Tool) (models.Request, error) {
	v := p.variables(list)
	system, err := render(p.cfg.Prompts.system, v)
	if err != nil {
		return models.Request{}, err
	}
	req := models.Request{System: strings.TrimSpace(system + "\n\n" + fenceRule), Tools: forModel(list), User: p.state.User}
	if len(v.Repository) > 0 {
		text, err := render(p.cfg.Prompts.repository, v)
		if err != nil {
			return models.Request{}, err
		}
		req.Messages = append(req.Messages, models.Message{Role: models.User, Parts: []models.Part{{Text: text}}})
	}
	if p.state.Memory.Text != "" {
		req.Messages = append(req.Messages, p.state.Memory.message())
	}
	skip := max(0, countImages(p.state.Messages)-keptImages)
	for _, m := range p.state.Messages {
		parts, err := p.parts(ctx, m, m.Parts, &skip)
		if err != nil {
			return models.Request{}, err
		}
		if m.Cut {
			parts = append(parts, models.Part{Text: cutNote})
		}
		req.Messages = append(req.Messages, models.Message{Role: m.Role, Parts: parts})
	}
	return req, nil
}

// cutNote follows a model's answer that was interrupted.
const cutNote = "[This answer was cut off.]"

// variables returns the values for the templates of the prompts.
func (p prompt) variables(list []Tool) Variables {
	s := p.state.Settings
	v := Variables{Instructions: p.cfg.System, Model: s.Model, Workspace: s.Workspace, OS: s.OS, Started: p.state.Turn.Started.UTC()}
	if s.System != "" {
		v.Instructions = s.System
	}
	for _, t := range list {
		v.Tools = append(v.Tools, ToolVariables{Name: t.Name, Description: t.Description, Client: t.Client})
	}
	for _, i := range s.Repository {
		v.Repository = append(v.Repository, i.escaped())
	}
	return v
}

// countImages returns the number of images that messages show.
func countImages(messages []Message) (n int) {
	for p := range partsOf(messages) {
		if p.Artifact != "" && !p.Named {
			n++
		}
	}
	return n
}

// parts converts parts of a message for a model. Notes replace the first skip images.
func (p prompt) parts(ctx context.Context, m Message, parts []Part, skip *int) ([]models.Part, error) {
	var out []models.Part
	for _, part := range parts {
		switch {
		case part.Named:
			out = append(out, models.Part{Text: "[image " + part.Artifact + "]"}, models.Part{Text: "[not shown again]"})
		case part.Artifact != "":
			out = append(out, p.image(ctx, part.Artifact, skip)...)
		case part.Result != nil:
			r := part.Result
			inner, err := p.parts(ctx, m, r.Parts, skip)
			if err != nil {
				return nil, err
			}
			out = append(out, models.Part{Result: &models.Result{CallID: r.Call, Name: r.Tool, Parts: inner, IsError: r.IsError}})
		case part.Untrusted:
			out = append(out, models.Part{Text: fenced(part.Text, m.Fence)})
		default:
			out = append(out, models.Part{Text: part.Text, Thought: part.Thought, Call: part.Call})
		}
	}
	return out, nil
}

// image returns an image for the model, preceded by the name that tools accept for it. While skip is
// above zero, it counts down, and a note replaces the image. A note also replaces a missing image,
// so that the conversation can continue.
func (p prompt) image(ctx context.Context, id string, skip *int) []models.Part {
	name := models.Part{Text: "[image " + id + "]"}
	if *skip > 0 {
		*skip--
		return []models.Part{name, {Text: "[older image, not shown again]"}}
	}
	img, err := p.cfg.Image(ctx, p.state.User, id)
	if err != nil {
		p.log.Warn("cannot load an image for the model", slog.String("artifact", id), slog.Any("err", err))
		return []models.Part{name, {Text: "[no longer available]"}}
	}
	return []models.Part{name, {Image: &img}}
}

// share stores the large texts of the events that show a request, and replaces them in the events
// by their hashes. list has the tools of the request, in its order.
func (w *worker) share(ctx context.Context, system *SystemPrompt, tools *ToolSchemas, list []Tool) error {
	own := w.ownPrompt()
	for i, s := range tools.Tools {
		own = own || list[i].Client
		if len(s.Description)+len(s.Input) < sharedTool {
			continue
		}
		hash, err := w.texts.keep(ctx, w.id(), list[i].Client, definition{s.Description, s.Input})
		if err != nil {
			return err
		}
		tools.Tools[i] = ToolSchema{Name: s.Name, Hash: hash, Own: list[i].Client}
	}
	if len(system.Text) < sharedPrompt {
		return nil
	}
	hash, err := w.texts.keep(ctx, w.id(), own, system.Text)
	system.Text, system.Hash, system.Own = "", hash, own
	return err
}

// ownPrompt reports whether a system prompt may have text of the session's client, or the time, so
// that no other session has the same.
func (w *worker) ownPrompt() bool {
	s := w.state.Settings
	return s.System != "" || s.OS != "" || s.Workspace != "" || len(s.Repository) > 0 || w.cfg.Prompts.dated()
}
