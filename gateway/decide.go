package gateway

import (
	"context"
	"errors"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
)

// decide answers, for a user, what a turn waits for. All protocols do it here.
// Changed is the field of the request that has arguments in place of the model's:
// what is wrong with them is told below it.
func (s *Server) decide(ctx context.Context, user, decision string, answer journal.Answer, changed string) error {
	_, err := s.cfg.Sessions.Decide(ctx, decision, journal.Decider{User: user}, answer)
	var f *fault.Error
	if !errors.As(err, &f) || changed == "" {
		return err
	}
	for i, field := range f.Details.Fields {
		if below, ok := strings.CutPrefix(field.Path, session.ArgumentsField); ok {
			f.Details.Fields[i].Path = changed + below
		}
	}
	return err
}
