package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
)

// Call calls a tool and returns its result. If the client disconnects, the call is canceled. After
// App.ToolTimeout the call is also canceled, and fails with the code of a timeout.
func (s *Server) Call(ctx context.Context, tool string, call agent.Call) (agent.Result, error) {
	c := s.calls.Begin(ctx, RequestOf(ctx).watched(), time.Now().Add(s.app.ToolTimeout))
	defer s.calls.End(c)
	res, err := s.Tools().Invoke(c, tool, call)
	if err != nil && errors.Is(c.Err(), context.DeadlineExceeded) {
		err = fault.From(context.DeadlineExceeded)
	}
	return res, err
}

// Tools returns the tools of App.Tools.
func (s *Server) Tools() agent.View { return s.app.Tools.View() }
