//go:build system

package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/identity"
)

// errands are what a model calls in a turn, answer by answer, by the word that
// the user says. Behind the last it is done. What begins with "gate" is a tool
// of the gateway's, and the others are the client's.
var errands = map[string][][]string{
	"plainly":    {{"gate_run"}, {"gate_run"}},
	"sidebyside": {{"gate_run", "gate_slow", "gate_run"}},
	"slowly":     {{"gate_slow"}, {"gate_slow"}},
	"asking":     {{"gate_risky"}, {"gate_run"}},
	"bundled":    {{"click", "type"}, {"gate_slow"}},
	"mixed":      {{"gate_run", "click"}, {"gate_risky", "type"}},
	"talking":    {},
}

// errand is a model that keeps to errands, and says a text before each call and
// at the end. Its answers follow from its input, as it does not outlive
// its gateway.
type errand struct{}

// pace is between two words of an errand.
const pace = 4 * time.Millisecond

func (errand) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, "errand", req, func(ctx context.Context, answer *models.Answer) error {
		turn, results, said := 0, 0, ""
		for _, m := range req.Messages {
			switch m.Role {
			case models.User:
				turn, results, said = turn+1, 0, m.Parts[len(m.Parts)-1].Text
			case models.ToolRole:
				results += len(m.Parts)
			}
		}
		step, calls := stepOf(said, results)
		for _, word := range strings.SplitAfter(errandText(turn, step), " ") {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pace):
			}
			if err := answer.Text(word); err != nil {
				return err
			}
		}
		end := models.Stop
		for i, name := range calls {
			end = models.ToolCalls
			if err := answer.Call(models.CallPiece{Index: &i, Name: name, Arguments: errandArguments(turn, results+i)}); err != nil {
				return err
			}
		}
		answer.Used(errandUsage(step))
		answer.End(end)
		return nil
	})
}

// stepOf returns how far a turn is that has so many results, and what is called
// next.
func stepOf(said string, results int) (step int, calls []string) {
	for word, answers := range errands {
		if !strings.Contains(said, word) {
			continue
		}
		for done := 0; step < len(answers) && done < results; step++ {
			done += len(answers[step])
		}
		if step < len(answers) {
			calls = answers[step]
		}
	}
	return step, calls
}

// errandText is what an errand says, from 1 turn on.
func errandText(turn, step int) string {
	var text strings.Builder
	for word := range 12 {
		fmt.Fprintf(&text, "%d.%d.%d ", turn, step, word)
	}
	return text.String()
}

func errandArguments(turn, n int) string { return fmt.Sprintf(`{"n":"%d.%d"}`, turn, n) }

func errandUsage(step int) models.Usage { return models.Usage{Input: 100 + step, Output: 12} }

// slowness is how long the slow tool runs.
const slowness = 120 * time.Millisecond

// errandTools are the gateway's, which leave a line in a file in dir for each
// time that they run.
func errandTools(dir string) (*agent.Registry, error) {
	tools := agent.NewRegistry()
	runs, err := os.OpenFile(filepath.Join(dir, "runs"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	run := func(slow time.Duration) func(context.Context, agent.Call) (agent.Result, error) {
		return func(ctx context.Context, c agent.Call) (agent.Result, error) {
			if _, err := fmt.Fprintf(runs, "%s %s\n", c.Session, c.Arguments); err != nil {
				return agent.Result{}, err
			}
			select {
			case <-ctx.Done():
				return agent.Result{}, ctx.Err()
			case <-time.After(slow):
			}
			return agent.Result{Content: []agent.Part{agent.Text("ok " + string(c.Arguments))}}, nil
		}
	}
	for name, tool := range map[string]struct {
		risk agent.Risk
		slow time.Duration
	}{"gate.run": {agent.Safe, 0}, "gate.slow": {agent.Safe, slowness}, "gate.risky": {agent.Risky, 0}} {
		about := agent.Descriptor{Name: name, Risk: tool.risk, Origin: agent.Origin{Kind: agent.Builtin}}
		err = errors.Join(err, tools.Register(agenttest.Tool{Described: about, Do: run(tool.slow)}))
	}
	return tools, err
}

// serveErrands serves as `windie serve` does, but for the model and the tools.
func serveErrands(ctx context.Context) error {
	log := slog.New(slog.DiscardHandler)
	cmd := new(cobra.Command)
	c, err := addConfigFlags(cmd, os.Environ())()
	if err != nil {
		return err
	}
	kept, err := openState(ctx, c, log, asMain)
	if err != nil {
		return err
	}
	defer kept.close()
	tools, err := errandTools(c.DataDir)
	if err != nil {
		return err
	}
	language, err := newModels(c, nil)
	if err != nil {
		return err
	}
	sessions := session.New(session.Config{
		Journal: kept.journal, Tools: tools, Log: log,
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return errand{}, models.Request{Model: "errand"}, nil
		},
	})
	defer sessions.Close()
	ln, err := listen(ctx, c)
	if err != nil {
		return err
	}
	greet(cmd, "http://"+ln.Addr().String(), c.Mode)
	defer background.Start(context.WithoutCancel(ctx), sessions.Run)()
	return doors.New(c.hosting(gateway.App{Models: language,
		Identity: identity.Open(kept.db), Store: c.visible(kept.artifacts), Scenes: newScenes(c, nil, pools{}), State: kept.db, Journal: kept.journal,
		Sessions: sessions, Tools: tools, Log: log,
	})).Serve(ctx, ln)
}
