// Package semantic serves the routes that summarize conversations and give them titles.
package semantic

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Parts returns the part that summarizes conversations, or no part if app.Digests is nil.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Digests == nil {
		return nil
	}
	d := &door{core: core, digests: app.Digests, toolTimeout: app.ToolTimeout}
	return []gateway.Part{gateway.PartOf("semantic", d.add)}
}

// door has the services and settings that the handlers of this package share.
type door struct {
	core        *gateway.Server
	digests     *digest.Digester
	toolTimeout time.Duration
}

// The maximum sizes of bodies, in bytes. JSON may take six bytes to escape one.
const (
	maxSummarize = 6*sdkapi.MaxSemanticTexts*sdkapi.MaxSemanticText + 64<<10
	maxTitle     = 13 * sdkapi.MaxSemanticText
)

// add registers the routes.
func (s *door) add() {
	about := func(id, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{OperationID: id, Tags: []string{"semantic"}, Summary: summary, Description: description, Errors: append(errors, 503)}
	}
	gateway.Post(s.core, sdkapi.SemanticSummarizePath, maxSummarize, about("semantic-summarize", "Summarize conversations",
		"Returns a summary, and lasting facts about the user. `method` says whether the user's language model or rules made it.",
		400, 403, 408, 413, 415, 422, 429, 502, 504), s.summarize)
	gateway.Post(s.core, sdkapi.SemanticTitlePath, maxTitle, about("semantic-title", "Title a conversation",
		"Returns a short title for a conversation, from its first two messages. `method` says whether the user's language model or rules "+
			"made it.",
		400, 403, 408, 413, 415, 422, 429, 502, 504), s.title)
	health := about("semantic-health", "Check summaries", "Always healthy: without a language model, rules make the summaries.")
	health.Method, health.Path = http.MethodGet, sdkapi.SemanticHealthPath
	gateway.RegisterJSON(s.core, health, s.health)
}

// nobody is a placeholder user id that old clients send if they have no user.
const nobody = "default_user"

const op = "gateway.semantic"

// within charges a request to its user and returns the user, and a context that ends after the tool
// timeout. named is the user_id in the body. It fails with VALIDATION_ERROR for the placeholder id,
// and with PERMISSION_DENIED if the caller's token belongs to another user.
func (s *door) within(ctx context.Context, named string) (user string, within context.Context, stop func(), err error) {
	if named == nobody {
		err = fault.New(op, sdkapi.ValidationError, "user_id must be the id of a user; %s is reserved", nobody).At("body.user_id", "expected the id of a user, not %s", nobody)
		return "", nil, nil, err
	}
	user = named
	if owner := gateway.OwnerOf(ctx); owner != "" && owner != named {
		err = fault.New(op, sdkapi.PermissionDenied, "the token belongs to a user other than user_id; send the token's own user_id").At("body.user_id", "expected the user_id from the registration of this token")
		return "", nil, nil, err
	}
	if err := gateway.RequestOf(ctx).Quota.TakeCall(); err != nil {
		return "", nil, nil, err
	}
	within, stop = context.WithTimeout(ctx, s.toolTimeout)
	return user, within, stop, nil
}

// fits returns an error if a text is longer than sdkapi.MaxSemanticText bytes.
func fits(text, field string) error {
	if len(text) > sdkapi.MaxSemanticText {
		return fault.New(op, sdkapi.ValidationError, "%s has %d bytes; the limit is %d", field, len(text), sdkapi.MaxSemanticText).
			At("body."+field, "expected at most %d bytes", sdkapi.MaxSemanticText)
	}
	return nil
}

// summarize handles POST sdkapi.SemanticSummarizePath. A text that is too long fails before the request is charged.
func (s *door) summarize(ctx context.Context, in *sdkapi.SemanticSummarize) (*sdkapi.SemanticSummary, error) {
	for i, text := range in.Conversations {
		if err := fits(text, fmt.Sprintf("conversations[%d]", i)); err != nil {
			return nil, err
		}
	}
	user, within, stop, err := s.within(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	defer stop()
	summary, err := s.digests.Summarize(within, user, in.Conversations)
	if err != nil {
		return nil, s.late(within, err)
	}
	return &sdkapi.SemanticSummary{Summary: summary.Text, Facts: summary.Facts, Success: true, Method: string(summary.Method)}, nil
}

// title handles POST sdkapi.SemanticTitlePath. A text that is too long fails before the request is charged.
func (s *door) title(ctx context.Context, in *sdkapi.SemanticTitleRequest) (*sdkapi.SemanticTitle, error) {
	for field, text := range map[string]string{"user_message": in.UserMessage, "assistant_message": in.AssistantMessage} {
		if err := fits(text, field); err != nil {
			return nil, err
		}
	}
	user, within, stop, err := s.within(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	defer stop()
	title, err := s.digests.Title(within, user, in.ModelID, in.UserMessage, in.AssistantMessage)
	if err != nil {
		return nil, s.late(within, err)
	}
	return &sdkapi.SemanticTitle{Title: title.Text, Success: true, Method: string(title.Method)}, nil
}

// late returns a TIMEOUT error if ctx has reached its deadline, otherwise err.
func (s *door) late(ctx context.Context, err error) error {
	if context.Cause(ctx) == context.DeadlineExceeded { //nolint:errorlint // contexts give it as it is
		return fault.New(op, sdkapi.Timeout, "the model took longer than %s", s.toolTimeout).Because(err)
	}
	return err
}

// health handles GET sdkapi.SemanticHealthPath.
func (s *door) health(context.Context, *struct{}) (*sdkapi.SemanticHealth, error) {
	return &sdkapi.SemanticHealth{Status: "healthy", Message: "Semantic summarization service ready"}, nil
}
