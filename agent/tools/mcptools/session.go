package mcptools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is a conversation with a running server.
type session struct {
	*mcp.ClientSession
	link    link
	begun   time.Time
	changed chan struct{} // capacity 1; has an element if the tools have changed
	ended   chan struct{} // closed when the server has gone
	why     error         // reason for the end; valid once ended is closed
	once    sync.Once
	wallet  *wallet      // tokens of the session's user; nil for a session of all users
	calls   atomic.Int64 // number of watched calls so far, from which tokens are made
	watched sync.Map     // contexts of the running watched calls, by token
}

// openSession starts the program or connects to the URL. say gets the lines that a program prints, except
// messages. w has the tokens of a user's own session; it is nil for a session of all users. If ctx ends
// before the session is open, openSession fails and ends the program.
func openSession(ctx context.Context, spec *Spec, version string, say func(line string), w *wallet) (*session, error) {
	s := &session{wallet: w, begun: time.Now(), changed: make(chan struct{}, 1), ended: make(chan struct{})}
	if spec.URL != "" {
		s.link = newRemote(spec, w)
	} else {
		p, err := startProcess(spec, say)
		if err != nil {
			return nil, err
		}
		s.link = p
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "windie", Version: version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, // the gateway offers nothing to servers
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case s.changed <- struct{}{}:
			default:
			}
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { s.progressed(r.Params) },
	})
	// Some steps of connecting do not observe ctx. They end when the link is cut.
	late := context.AfterFunc(ctx, s.link.cut)
	var err error
	s.ClientSession, err = connect(ctx, client, s.link)
	if !late() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	go func() {
		defer close(s.ended)
		s.why = s.Wait()
	}()
	return s, nil
}

// connect opens the protocol's session. A panic of the SDK about the server's messages becomes an error.
func connect(ctx context.Context, client *mcp.Client, l link) (cs *mcp.ClientSession, err error) {
	defer recoverTo(&err)
	return client.Connect(ctx, l.transport(), nil)
}

// failed ends a session that could not be opened, and returns the reason.
func (s *session) failed(ctx context.Context, err error) error {
	cause := s.link.cause()
	s.link.cut()
	if s.ClientSession != nil {
		_ = s.Close()
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("the server did not answer in time")
	case cause != nil:
		return fmt.Errorf("%w (%w)", cause, err)
	}
	return err
}

// over reports whether the session has ended.
func (s *session) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// end ends the session, and a server that is a program. It may be called again.
func (s *session) end() {
	s.once.Do(func() {
		late := time.AfterFunc(leaveTimeout+2*termTimeout, s.link.cut)
		s.link.leave()
		_ = s.Close() // nothing is pending that could fail
		late.Stop()
		s.link.cut()
		<-s.ended
	})
}
