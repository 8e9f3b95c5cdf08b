package vlm

import (
	"context"
	"strings"

	"github.com/windieos/windie/internal/fault"
	plaintext "github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// reply is a model's answer.
type reply struct {
	text    string // without the model's thoughts
	refused bool   // a filter of the server stopped it
	cut     bool   // it reached the maximum length
	usage   models.Usage
}

// ask returns the parts of a question about the picture.
func (p picture) ask(question string) []models.Part {
	return []models.Part{{Image: &models.Image{MediaType: "image/jpeg", Data: p.data}}, {Text: question}}
}

// shortened returns the answer on one line, at most maxSaid bytes long.
func (s reply) shortened() string { return plaintext.OneLine(s.text, maxSaid) }

// ask sends a question to the model, and returns its whole answer. It fails with MODEL_ERROR for an
// empty answer, or one of more than maxAnswer bytes.
func (c *Client) ask(ctx context.Context, question ...models.Part) (reply, error) {
	req := models.Request{
		Model: c.name, MaxTokens: maxTokens,
		Messages: []models.Message{{Role: models.User, Parts: question}},
	}
	if c.family.steady {
		req.Sampling = models.Likeliest()
	}
	var s reply
	var text strings.Builder
	for event, err := range c.model.Stream(ctx, req) {
		if err != nil {
			return s, err
		}
		switch event.Kind {
		case models.Text:
			if text.Len()+len(event.Text) > maxAnswer {
				return s, fault.New("vlm.ask", sdkapi.ModelError, "the gateway stopped the vision model's answer: it has more than %d bytes", maxAnswer)
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
		return s, fault.New("vlm.ask", sdkapi.ModelError, "the vision model's answer is empty").Because(errNothing)
	}
	return s, nil
}

// thoughtBegins and thoughtEnds list the tags that models write before and after their thoughts.
var (
	thoughtBegins = []string{"<think>", "<thinking>", "◁think▷"}
	thoughtEnds   = []string{"</think>", "</thinking>", "◁/think▷"}
)

// withoutThoughts returns the text after the last thought. Thoughts without an end tag reach to the
// end of the text.
func withoutThoughts(text string) string {
	for _, end := range thoughtEnds {
		if i := strings.LastIndex(text, end); i >= 0 {
			text = text[i+len(end):]
		}
	}
	for _, begin := range thoughtBegins {
		if i := strings.Index(text, begin); i >= 0 {
			text = text[:i] // thoughts without an end
		}
	}
	return text
}
