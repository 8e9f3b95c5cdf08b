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

// prompt makes what a model is asked: the same bytes for the same state, for a
// turn and for who looks at what a turn would ask. Its parts, from the first:
// what the model is told first, a repository's instructions, what is remembered,
// and the history, whose last message is the user's.
type prompt struct {
	cfg   *Config
	state *State // with an open turn
	log   *slog.Logger
}

// request returns what the model is asked.
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

// cutNote tells a model that what it said before it was cut off was not all.
const cutNote = "[This answer was cut off.]"

// variables returns what the templates are filled in with.
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
		v.Repository = append(v.Repository, i.inert())
	}
	return v
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
		case p.Artifact != "" && !p.Named:
			n++
		case p.Result != nil:
			n += countIn(p.Result.Parts)
		}
	}
	return n
}

// parts makes parts of a message what a model takes. The first skip images are
// left out.
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

// image returns an image for the model, behind the name by which tools take it.
// One that is gone is told of: it is no reason to end a conversation.
func (p prompt) image(ctx context.Context, id string, skip *int) []models.Part {
	name := models.Part{Text: "[image " + id + "]"}
	if *skip > 0 {
		*skip--
		return []models.Part{name, {Text: "[an older image, not shown again]"}}
	}
	img, err := p.cfg.Image(ctx, p.state.User, id)
	if err != nil {
		p.log.Warn("an image cannot be shown to the model", slog.String("artifact", id), slog.Any("err", err))
		return []models.Part{name, {Text: "[it is not kept any longer]"}}
	}
	return []models.Part{name, {Image: &img}}
}
