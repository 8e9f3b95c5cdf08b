package vlm

import (
	"context"
	"strings"

	"github.com/windieos/windie/internal/fault"
	plaintext "github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// said is a model's answer.
type said struct {
	text    string // without what it thought aloud
	refused bool   // a filter of the server's stopped it
	cut     bool   // it had more to say
	usage   models.Usage
}

// shortened returns the answer as messages and results show it.
func (s said) shortened() string { return plaintext.OneLine(s.text, maxSaid) }

func (c *Client) ask(ctx context.Context, p picture, question string) (said, error) {
	req := models.Request{
		Model: c.name, MaxTokens: maxTokens, Steady: c.family.steady,
		Messages: []models.Message{{Role: models.User, Parts: []models.Part{
			{Image: &models.Image{MediaType: "image/jpeg", Data: p.data}}, {Text: question},
		}}},
	}
	var s said
	var text strings.Builder
	for event, err := range c.model.Stream(ctx, req) {
		if err != nil {
			return s, err
		}
		switch event.Kind {
		case models.Text:
			if text.Len()+len(event.Text) > maxAnswer {
				return s, fault.New("vlm.ask", sdkapi.ModelError, "the vision model said more than %d bytes, and was stopped", maxAnswer)
			}
			text.WriteString(event.Text)
		case models.UsageKnown:
			s.usage = event.Usage
		case models.End:
			s.refused, s.cut = event.End == models.Refused, event.End == models.Length
		}
	}
	s.text = strings.TrimSpace(withoutThoughts(text.String()))
	if s.text == "" && !s.refused {
		return s, fault.New("vlm.ask", sdkapi.ModelError, "the vision model said nothing").Because(errNothing)
	}
	return s, nil
}

// thoughtBegins and thoughtEnds are what models write before and behind their thoughts.
var (
	thoughtBegins = []string{"<think>", "<thinking>", "◁think▷"}
	thoughtEnds   = []string{"</think>", "</thinking>", "◁/think▷"}
)

func withoutThoughts(text string) string {
	for _, end := range thoughtEnds {
		if i := strings.LastIndex(text, end); i >= 0 {
			text = text[i+len(end):]
		}
	}
	for _, begin := range thoughtBegins {
		if i := strings.Index(text, begin); i >= 0 {
			text = text[:i] // they have no end
		}
	}
	return text
}
