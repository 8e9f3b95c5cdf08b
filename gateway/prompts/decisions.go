package prompts

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// addDecisions registers the routes that list, return and answer the decisions of all protocols. A
// local gateway requires its key.
func (s *door) addDecisions() {
	about := func(method, path, id, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: method, Path: sdkapi.DecisionsPath + path, Tags: []string{"decisions"},
			Summary: summary, Description: description, Errors: append(errors, 403, 422, 503), Security: s.Core.AsksForKey(),
		}
	}
	gateway.RegisterJSON(s.Core, about(http.MethodGet, "", "list-decisions", "List open approvals",
		"Lists the tool calls of all protocols that wait for a person. Without `X-User-Id`, a local gateway lists the calls of the user `local`."), s.listDecisions)
	gateway.RegisterJSON(s.Core, about(http.MethodGet, "/{decisionId}", "get-decision", "Get an approval",
		"Returns the tool and its exact arguments.", 404), s.getDecision)
	answer := about(http.MethodPost, "/{decisionId}", "answer-decision", "Approve or deny a call",
		"The answer applies at once to a call of a prompt or session. A call over MCP runs once, if the client repeats it within ten "+
			"minutes. The same answer again is accepted.", 400, 404, 408, 409, 410, 413, 415)
	answer.MaxBodyBytes, answer.BodyReadTimeout = 6*journal.MaxReason+1<<10, -1 // JSON may escape each character as six bytes
	gateway.RegisterJSON(s.Core, answer, s.answerDecision)
}

// DecisionNamed is the path parameter with the id of a decision. It is exported because huma ignores
// unexported embedded types.
type DecisionNamed struct {
	DecisionID string `path:"decisionId" maxLength:"200" doc:"Id of the decision."`
}

// getDecision returns a decision of the caller, whether or not it has ended.
func (s *door) getDecision(ctx context.Context, in *DecisionNamed) (*sdkapi.Decision, error) {
	d, err := s.decisionOf(ctx, in.DecisionID)
	if err != nil {
		return nil, err
	}
	out, _, err := s.wireQuestion(ctx, d)
	return &out, err
}

type answerInput struct {
	DecisionNamed
	Body sdkapi.DecisionAnswer
}

// answerDecision approves or denies a call, and returns the decision in its new state. It fails
// like decisionOf and decideQuestion.
func (s *door) answerDecision(ctx context.Context, in *answerInput) (*sdkapi.Decision, error) {
	d, err := s.decisionOf(ctx, in.DecisionID)
	if err != nil {
		return nil, err
	}
	d, err = s.decideQuestion(ctx, d, journal.Answer{Denied: !in.Body.Approved, Reason: in.Body.Reason})
	if err != nil {
		return nil, err
	}
	out, _, err := s.wireQuestion(ctx, d)
	return &out, err
}

// decisionOf returns a decision of the caller of ctx's request, from any protocol. It fails with
// DECISION_NOT_FOUND for a decision of another user.
func (s *door) decisionOf(ctx context.Context, id string) (journal.Decision, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return journal.Decision{}, err
	}
	d, err := s.Journal.Decision(ctx, id)
	switch {
	case err != nil && fault.CodeOf(err) != sdkapi.DecisionNotFound && fault.CodeOf(err) != sdkapi.ValidationError:
		return d, err
	case err != nil || d.User != user || d.Kind != session.Approval:
		return d, fault.At(journal.NoDecision("gateway.decisions", plain.Cut(id, 100)), "path.decisionId", "expected the id of one of your decisions")
	}
	return d, nil
}
