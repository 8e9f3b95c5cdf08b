package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdk"
)

// home finds a gateway for the agents of this machine: that of another windie agent, or else one
// that home runs in this process. If the other gateway ends, the next call of gateway starts one
// here.
type home struct {
	flags   *agentFlags
	config  *config
	environ []string

	mu     sync.Mutex
	own    *sdk.Client // client of the gateway in this process; nil: none
	end    context.CancelFunc
	served chan error
}

// agentFile returns the file with the URL of a windie agent's gateway, for other agents on its data
// folder.
func (c *config) agentFile() string { return filepath.Join(c.DataDir, "agent.url") }

// gateway returns a client of the gateway in this process if there is one, or else of another windie
// agent's gateway. If neither exists, it starts one in this process.
func (h *home) gateway(ctx context.Context) (*sdk.Client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.own != nil {
		return h.own, nil
	}
	url, err := os.ReadFile(h.config.agentFile())
	if at := string(url); err == nil && answers(ctx, at) && h.config.proves(ctx, at, "") == nil { // the file may be stale
		return h.flags.client(h.config, string(url))
	}
	own, err := h.serve(ctx)
	if err != nil {
		return nil, err
	}
	h.own, err = h.flags.client(h.config, own)
	return h.own, err
}

// serve runs a gateway until close, and returns its URL. It fails if another gateway uses the data
// folder.
func (h *home) serve(ctx context.Context) (url string, err error) {
	if err := h.config.makeDirs(); err != nil {
		return "", err
	}
	ctx, h.end = context.WithCancel(context.WithoutCancel(ctx))
	ready := make(chan string, 1)
	h.served = make(chan error, 1)
	go func() { h.served <- h.run(ctx, ready) }()
	select {
	case url = <-ready:
		return url, nil
	case err = <-h.served:
		h.end()
		h.served = nil
		return "", err
	}
}

// maxAgentLog is the log size from which a new run starts the log anew, in bytes.
const maxAgentLog = 4 << 20

// run runs a gateway until ctx ends, and sends its URL to ready. Its log goes to a file, because
// the terminal belongs to the user.
func (h *home) run(ctx context.Context, ready chan<- string) error {
	file, err := os.OpenFile(filepath.Join(h.config.DataDir, "agent.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	log := newLog(file, h.config)
	return assemble(ctx, h.config, h.environ, log, asMain, func(p parts) error {
		if info, err := file.Stat(); err == nil && info.Size() > maxAgentLog {
			if err := file.Truncate(0); err != nil { // safe here: no other gateway runs on the data folder
				return err
			}
		}
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("cannot listen on 127.0.0.1: %w", err)
		}
		if err := p.scenes.Ready(ctx); err != nil {
			log.Warn("the text reader is not ready; screens cannot be read yet", slog.Any("err", err))
		}
		running := context.WithoutCancel(ctx)
		defer background.Start(running, p.sessions.Run)()
		defer background.Start(running, p.brought.Run)()
		url := "http://" + ln.Addr().String()
		if err := os.WriteFile(h.config.agentFile(), []byte(url), 0o600); err != nil {
			return err
		}
		// after a crash the file remains, and the next agent notices that nothing answers at its URL
		defer os.Remove(h.config.agentFile())
		ready <- url
		return p.server.Serve(ctx, ln)
	})
}

// close stops the gateway of this process, if there is one.
func (h *home) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.served == nil {
		return nil
	}
	h.end()
	return <-h.served
}
