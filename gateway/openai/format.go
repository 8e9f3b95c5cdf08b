package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// anyObject is the schema of the format json_object.
var anyObject = json.RawMessage(`{"type":"object"}`)

// checks are the conditions that the model's answer must meet. The zero value has none.
type checks struct {
	text    *agent.Schema            // schema of the text; nil: any text
	strict  map[string]*agent.Schema // schemas of the arguments of strict tools
	repairs int                      // number of further requests that may repair an answer
}

// maxRepairs is the maximum number of requests that repair one answer.
const maxRepairs = 1

// setFormat sets the format of the answer's text.
func (q *question) setFormat(f *sdkapi.OpenAIFormat) (err error) {
	const at = "body.response_format"
	switch {
	case f == nil || f.Type == "text":
		return nil
	case f.Type == "json_object":
		q.request.Format = new(models.Format)
		q.checks.text, err = agent.CompileSchema(anyObject)
		return err
	case f.Type != "json_schema":
		return invalid(at+".type", "expected text, json_object or json_schema")
	case f.JSONSchema == nil || isNull(f.JSONSchema.Schema):
		return invalid(at+".json_schema.schema", "expected a JSON Schema")
	case !isFunctionName(f.JSONSchema.Name):
		return invalid(at+".json_schema.name", "expected 1 to %d letters, digits, _ and -", agent.MaxNameLen)
	}
	q.request.Format = &models.Format{
		Name: f.JSONSchema.Name, Description: f.JSONSchema.Description, Schema: f.JSONSchema.Schema,
		Strict: f.JSONSchema.Strict != nil && *f.JSONSchema.Strict,
	}
	if q.checks.text, err = agent.CompileSchema(f.JSONSchema.Schema); err != nil {
		return invalid(at+".json_schema.schema", "%s", fault.From(err).Message)
	}
	return nil
}

// setStrict compiles the schemas of the strict tools.
func (q *question) setStrict() error {
	for i, t := range q.request.Tools {
		if !t.Strict || len(t.Schema) == 0 {
			continue
		}
		compiled, err := agent.CompileSchema(t.Schema)
		if err != nil {
			return invalid(fmt.Sprintf("body.tools[%d].function.parameters", i), "%s", fault.From(err).Message)
		}
		if q.checks.strict == nil {
			q.checks.strict = map[string]*agent.Schema{}
		}
		q.checks.strict[t.Name] = compiled
	}
	return nil
}

// holds reports whether the text of an answer waits until it is checked.
func (q *question) holds() bool {
	return !q.streams && (q.checks.text != nil || q.checks.strict != nil || q.request.MustCall)
}

// wrong returns why an answer does not meet the conditions, as a sentence for the model. It returns
// "" for a valid answer, and for one that its limit or the provider's filter has cut off.
func (q *question) wrong(text string, r *round) string {
	if r.end == models.Length || r.end == models.Refused {
		return ""
	}
	if q.request.MustCall && len(r.calls) == 0 {
		return "the answer calls no tool, but it must call one of: " + strings.Join(q.toolNames(), ", ")
	}
	for _, c := range r.calls {
		if q.request.MustCall && !slices.Contains(q.toolNames(), c.Name) {
			return fmt.Sprintf("the answer calls %q, but it must call one of: %s", plain.OneLine(c.Name, maxShown), strings.Join(q.toolNames(), ", "))
		}
		if s := q.checks.strict[c.Name]; s != nil {
			if err := s.Check("arguments", c.Arguments); err != nil {
				return "the arguments of " + c.Name + " do not match its schema: " + fault.From(err).Message
			}
		}
	}
	if q.checks.text != nil && len(r.calls) == 0 {
		if err := q.checks.text.Check("answer", json.RawMessage(text)); err != nil {
			return "the answer is not JSON in the required format: " + fault.From(err).Message
		}
	}
	return ""
}

// toolNames lists the names of the request's tools.
func (q *question) toolNames() (names []string) {
	for _, t := range q.request.Tools {
		names = append(names, t.Name)
	}
	return names
}

// repair adds a wrong answer and the reason to the conversation, so that the model answers again.
func (q *question) repair(r *round, reason string) {
	if len(r.said.Parts) > 0 {
		q.request.Messages = append(q.request.Messages, r.said)
	}
	var results []models.Part
	for _, c := range r.calls {
		results = append(results, models.Part{Result: &models.Result{CallID: c.ID, Name: c.Name, IsError: true, Parts: []models.Part{{Text: reason}}}})
	}
	if results != nil {
		q.request.Messages = append(q.request.Messages, models.Message{Role: models.ToolRole, Parts: results})
	}
	ask := "Your answer is invalid: " + reason + ". Answer again, correctly and without an apology."
	if q.request.Format != nil && len(r.calls) == 0 {
		ask += " " + q.request.Format.Instruction()
	}
	q.request.Messages = append(q.request.Messages, models.Message{Role: models.User, Parts: []models.Part{{Text: ask}}})
}

// invalidAnswer returns the error of an answer that is still wrong.
func invalidAnswer(reason string) error {
	return fault.New(op, sdkapi.ModelAnswerInvalid, "%s; simplify the schema or the task, or choose another model", plain.OneLine(reason, maxReason))
}

// maxReason is the maximum length of the reason in an error, in bytes.
const maxReason = 500

// unfenced returns text without a Markdown code fence around it. Some models write one although
// they were asked not to.
func unfenced(text string) string {
	inner := strings.TrimSpace(text)
	if !strings.HasPrefix(inner, "```") || !strings.HasSuffix(inner, "```") || strings.Count(inner, "```") != 2 {
		return text
	}
	_, inner, found := strings.Cut(inner, "\n")
	if !found {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(inner, "```"))
}
