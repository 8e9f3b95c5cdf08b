package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of the checks, which are made at once.
const (
	doctorTimeout = 20 * time.Second // of all
	checkTimeout  = 5 * time.Second  // of one
)

// diagnosis is what doctor prints as JSON. Its form is stable: fields may be
// added, not removed. docs/deploy.md lists the names of checks.
type diagnosis struct {
	Healthy bool           `json:"healthy"` // whether all checks are
	Version string         `json:"version"` // of the program that was asked
	Checks  []sdkapi.Check `json:"checks"`
}

func doctorCommand(load loader, environ []string) *cobra.Command {
	var running, online, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what the gateway needs, and say what to do about what is missing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorTimeout)
			defer cancel()
			checks, err := diagnose(ctx, load, environ, running, online)
			if err != nil && !asJSON {
				return err
			}
			if err != nil {
				checks = []sdkapi.Check{checkOf("gateway", "", err)}
			}
			return report(cmd.OutOrStdout(), checks, asJSON)
		},
	}
	cmd.Flags().BoolVar(&running, "running", false, "ask the gateway that runs at the listen address instead")
	cmd.Flags().BoolVar(&online, "online", false, "ask each provider of language models too whether it answers and takes the key")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	cmd.MarkFlagsMutuallyExclusive("running", "online")
	return cmd
}

// diagnose makes the checks. Wrong settings are a check that fails.
func diagnose(ctx context.Context, load loader, environ []string, running, online bool) ([]sdkapi.Check, error) {
	c, err := load()
	switch {
	case err != nil:
		return []sdkapi.Check{checkOf("settings", "", err)}, nil
	case running:
		return askRunning(ctx, c)
	}
	checks := checksOf(c, environ)
	if online {
		checks = append(checks, c.providerChecks(environ)...)
	}
	fine := strings.Join(append([]string{"are valid"}, unknownVariables(environ)...), "; ")
	return append([]sdkapi.Check{checkOf("settings", fine, nil)}, examine(ctx, checks)...), nil
}

// check looks at one thing that a gateway needs, and returns a remark if all is well.
type check struct {
	name string
	look func(context.Context) (fine string, err error)
}

func examine(ctx context.Context, list []check) []sdkapi.Check {
	out := make([]sdkapi.Check, len(list))
	var all sync.WaitGroup
	for i, c := range list {
		all.Go(func() { out[i] = c.examine(ctx) })
	}
	all.Wait()
	return out
}

// examine makes a check. One that does not return in time has failed; one that
// observes its context has a fifth of the time more, to say what it waited for.
func (c check) examine(ctx context.Context) sdkapi.Check {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	result := make(chan sdkapi.Check, 1)
	go func() {
		fine, err := c.look(ctx)
		result <- checkOf(c.name, fine, err)
	}()
	select {
	case made := <-result:
		return made
	case <-time.After(checkTimeout + checkTimeout/5):
		return sdkapi.Check{Name: c.name, Message: fmt.Sprintf("did not answer within %v; see whether the disk or the server it needs hangs", checkTimeout)}
	}
}

func checkOf(name, fine string, err error) sdkapi.Check {
	if err == nil {
		return sdkapi.Check{Name: name, OK: true, Message: fine}
	}
	if settings, ok := errors.AsType[*configError](err); ok {
		return sdkapi.Check{Name: name, Message: strings.Join(settings.problems, "; ")}
	}
	if f := fault.From(err); f.Code != sdkapi.Internal {
		return sdkapi.Check{Name: name, Message: f.Message}
	}
	return sdkapi.Check{Name: name, Message: strings.ReplaceAll(err.Error(), "\n", "; ")} // the operator may read causes
}

// askRunning returns what the gateway at the listen address says of itself.
func askRunning(ctx context.Context, c *config) ([]sdkapi.Check, error) {
	addr, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(addr)+sdkapi.HealthPath, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no gateway answers: %w", err)
	}
	defer resp.Body.Close()
	var health sdkapi.Health
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&health); err != nil || len(health.Checks) == 0 {
		return nil, errors.Join(fmt.Errorf("what answers at %s is no gateway", c.Listen), err)
	}
	return health.Checks, nil
}

func report(w io.Writer, checks []sdkapi.Check, asJSON bool) error {
	var failed error
	paint := painterOf(w)
	for _, c := range checks {
		mark := paint(green, "ok  ")
		if !c.OK {
			mark, failed = paint(red, "FAIL"), silentError(exitFailed)
		}
		if !asJSON {
			fmt.Fprintf(w, "%s  %-10s %s\n", mark, plain.Text(c.Name), plain.Text(c.Message))
		}
	}
	if asJSON {
		if err := writeJSON(w, diagnosis{Healthy: failed == nil, Version: version, Checks: checks}); err != nil {
			return err
		}
	}
	return failed
}
