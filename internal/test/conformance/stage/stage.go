// Package stage starts the gateways that clients are held to dialogues against: real ones, each over a database and a
// folder of its own, with a model that answers by a script.
package stage

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/conversation"
	agentdesktop "github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/once"
)

// drain is how long requests of a case may go on once it has ended.
const drain = 2 * time.Second

// System is what the model is told to be.
const System = "You are a helpful assistant."

// key is that of the dialogues, with which a person decides.
const key = "0f0e0d0c0b0a09080706050403020100f0e0d0c0b0a090807060504030201000"

// Stage implements conformance.Stage. It may be used from several goroutines.
type Stage struct {
	// Scenes reads the screens of all gateways.
	Scenes *perception.Scenes

	// Model answers where a dialogue has no script; without one nothing does.
	Model models.Model
}

// closing closes, in order, what was opened, the last first.
type closing []func()

func (c *closing) add(f func()) { *c = append(*c, f) }

func (c *closing) all() {
	for i := len(*c) - 1; i >= 0; i-- {
		(*c)[i]()
	}
}

// Start implements conformance.Stage. The gateway of a dialogue has the tools that it asks for by its name; that of a
// fault has them all.
func (s *Stage) Start(ctx context.Context, name string, model []byte) (url string, stop func(), err error) {
	var opened closing
	cfg, err := s.config(ctx, name, model, &opened)
	if err != nil {
		opened.all()
		return "", nil, err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		opened.all()
		return "", nil, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	var served sync.WaitGroup
	served.Go(func() { _ = doors.New(cfg).Serve(running, ln) }) // what is left at the end is broken off
	return "http://" + ln.Addr().String(), func() {
		end()
		served.Wait()
		opened.all()
	}, nil
}

// config opens what a gateway works with.
func (s *Stage) config(ctx context.Context, name string, model []byte, opened *closing) (gateway.App, error) {
	cfg := gateway.App{Scenes: s.Scenes, Tools: agent.NewRegistry(), DrainTimeout: drain, ApprovalKey: key}
	dir, err := os.MkdirTemp("", "windie-conformance-")
	if err != nil {
		return cfg, err
	}
	opened.add(func() { _ = os.RemoveAll(dir) })
	store, err := dirstore.Open(filepath.Join(dir, "artifacts"))
	if err != nil {
		return cfg, err
	}
	db, err := database.Open(ctx, database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		return cfg, err
	}
	opened.add(func() { _ = db.Close() })
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		return cfg, err
	}
	opened.add(func() { _ = log.Close() })
	cfg.Store, cfg.Journal, cfg.Once = store, journal.Count(log), once.Open(db, once.Options{})
	finder := query.New(s.Scenes, nil)
	reader := screens.NewScreenReader(store, finder)
	tools := append(screens.BuiltinTools(store, finder), toolsOf(name)...)
	if strings.Contains(name, "memory") {
		kept, err := memory.Open(db, memory.Options{Dir: filepath.Join(dir, "memory"), SoftBytes: 250})
		if err != nil {
			return cfg, err
		}
		opened.add(func() { _ = kept.Close() })
		cfg.Memory, tools = kept, append(tools, kept.Tools()...)
	}
	for _, tool := range tools {
		if err := cfg.Tools.Register(tool); err != nil {
			return cfg, err
		}
	}
	answers := s.Model
	if model != nil || answers == nil {
		if answers, err = newScript(model); err != nil {
			return cfg, err
		}
	}
	cfg.Conversations = conversation.Open(cfg.Journal)
	list := promptlist.OpenList(db, promptlist.Options{Touch: cfg.Conversations.Touch})
	cfg.Models, cfg.Prompts = scripted{answers}, list
	cfg.Sessions = session.New(session.Config{
		Journal: log, Tools: cfg.Tools, Image: reader.Image, Keep: reader.Keep, Prepare: agentdesktop.Prepare(reader), UserPolicy: desktop.UserPolicy(log),
		System: System, Turned: list.Turned,
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return answers, models.Request{Model: "scripted"}, nil
		},
	})
	opened.add(cfg.Sessions.Close)
	return cfg, ctx.Err()
}
