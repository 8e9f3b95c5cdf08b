package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Time limits of the checks, which run at the same time.
const (
	doctorTimeout = 20 * time.Second // of all checks
	checkTimeout  = 5 * time.Second  // of one check
	loadTimeout   = 15 * time.Second // of a check that loads a model
)

// diagnosis is doctor's output as JSON. Its form is stable: fields may be added, not removed.
// docs/operate.md lists the names of checks.
type diagnosis struct {
	Healthy bool           `json:"healthy"` // whether all checks passed
	Version string         `json:"version"` // of the checked program
	Checks  []sdkapi.Check `json:"checks"`
	Fixed   []string       `json:"fixed,omitempty"`  // repairs by --fix
	Bundle  string         `json:"bundle,omitempty"` // file written by --bundle
}

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	running, online, asJSON, fix bool
	bundle                       string
}

// doctorCommand returns `windie doctor`. It loads the settings itself, so that invalid settings
// become a failed check.
func doctorCommand(load loader, environ []string) *cobra.Command {
	var asked doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings of the gateway and everything it needs",
		Long: "Each line names a check and its result. A failed check says how to fix the problem. The exit code is 0 if\n" +
			"all checks pass, 1 if one fails, and 2 if the settings are invalid.",
		Example: "  windie doctor\n  windie doctor --running",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := examined(cmd.Context(), load, environ, asked)
			if err != nil {
				return err
			}
			return report(cmd.OutOrStdout(), found, asked.asJSON)
		},
	}
	cmd.Flags().BoolVar(&asked.running, "running", false, "show the checks of the gateway that is running at the listen address")
	cmd.Flags().BoolVar(&asked.online, "online", false, "also check that each model provider answers and accepts the key")
	cmd.Flags().BoolVar(&asked.fix, "fix", false, "before the checks, create missing folders, restrict private files to the gateway's user, and delete old temporary files")
	cmd.Flags().StringVar(&asked.bundle, "bundle", "", "write a report for support to `FILE`, a ZIP archive without secrets")
	cmd.Flags().BoolVar(&asked.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("running", "online")
	cmd.MarkFlagsMutuallyExclusive("running", "fix")
	return cmd
}

// examined repairs, checks and writes the bundle, as the flags say.
func examined(ctx context.Context, load loader, environ []string, asked doctorFlags) (found diagnosis, err error) {
	found.Version = version
	if c, err := load(); err == nil && asked.fix {
		found.Fixed = c.fix()
	}
	limited, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	found.Checks = diagnose(limited, load, environ, asked.running, asked.online)
	found.Healthy = !slices.ContainsFunc(found.Checks, func(c sdkapi.Check) bool { return !c.OK })
	if asked.bundle != "" {
		if err := writeBundle(ctx, asked.bundle, load, environ, found); err != nil {
			return found, err
		}
		found.Bundle = asked.bundle
	}
	return found, nil
}

// diagnose runs the checks. Invalid settings are a failed check, and so is a gateway that does not
// respond.
func diagnose(ctx context.Context, load loader, environ []string, running, online bool) []sdkapi.Check {
	c, err := load()
	switch {
	case err != nil:
		return []sdkapi.Check{checkOf(settingsCheck, "", err)}
	case running:
		health, err := c.askRunning(ctx)
		if err != nil {
			return []sdkapi.Check{checkOf("gateway", "", err)}
		}
		return health.Checks
	}
	checks := checksOf(c, environ)
	if online {
		checks = append(checks, c.providerChecks(environ)...)
	}
	fine := strings.Join(append([]string{"valid"}, unknownVariables(environ)...), "; ")
	return append([]sdkapi.Check{checkOf(settingsCheck, fine, nil)}, examine(ctx, checks)...)
}

// settingsCheck is the check of the settings. If they are invalid, it is the only check.
const settingsCheck = "settings"

// check is the check of one need of a gateway. On success, look returns a remark.
type check struct {
	name string
	look func(context.Context) (fine string, err error)
}

// examine runs the checks at the same time. The results have the order of list.
func examine(ctx context.Context, list []check) []sdkapi.Check {
	out := make([]sdkapi.Check, len(list))
	var all sync.WaitGroup
	for i, c := range list {
		all.Go(func() { out[i] = c.examine(ctx) })
	}
	all.Wait()
	return out
}

// examine runs a check. A check that does not return in time has failed. A check that observes its
// context gets a fifth more time, in which it can report the cause of the delay.
func (c check) examine(ctx context.Context) sdkapi.Check {
	limit := c.limit()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result := make(chan sdkapi.Check, 1)
	go func() {
		fine, err := c.look(ctx)
		result <- checkOf(c.name, fine, err)
	}()
	select {
	case made := <-result:
		return made
	case <-time.After(limit + limit/5):
		return sdkapi.Check{Name: c.name, Message: fmt.Sprintf("did not answer within %v; check whether its disk or server hangs", limit)}
	}
}

// limit returns the time limit of a check.
func (c check) limit() time.Duration {
	if c.name == embeddingsCheck {
		return loadTimeout
	}
	return checkTimeout
}

// checkOf returns the result of a check. It is OK with the remark fine if err is nil; otherwise its
// message is the text of err on one line.
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

// direct is the client for the gateway of this machine. It uses no proxy, because a request may
// contain the operator's token.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// askRunning returns the health of the gateway at the listen address.
func (c *config) askRunning(ctx context.Context) (sdkapi.Health, error) {
	addr, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return sdkapi.Health{}, err
	}
	return askHealth(ctx, "http://"+reachable(addr)+sdkapi.HealthPath)
}

// askHealth returns the health of the gateway whose health is at url.
func askHealth(ctx context.Context, url string) (health sdkapi.Health, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return health, err
	}
	resp, err := direct.Do(req)
	if err != nil {
		return health, fmt.Errorf("no gateway answers: %w", err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&health); err != nil || len(health.Checks) == 0 {
		return health, errors.Join(fmt.Errorf("the server at %s is not a Windie gateway", url), err)
	}
	return health, nil
}

// report prints a diagnosis. It fails if a check did.
func report(w io.Writer, found diagnosis, asJSON bool) error {
	if asJSON {
		if err := writeJSON(w, found); err != nil {
			return err
		}
	} else {
		found.print(w)
	}
	switch {
	case found.Healthy:
		return nil
	// all other checks need valid settings
	case len(found.Checks) == 1 && found.Checks[0].Name == settingsCheck:
		return silentError(exitUsage)
	}
	return silentError(exitFailed)
}

// print prints a line for each repair and each check. It drops errors of w.
func (d diagnosis) print(w io.Writer) {
	paint := painterOf(w)
	for _, did := range d.Fixed {
		fmt.Fprintf(w, "%s  %s\n", paint(green, "fix "), plain.Text(did))
	}
	for _, c := range d.Checks {
		mark := paint(green, "ok  ")
		if !c.OK {
			mark = paint(red, "FAIL")
		}
		fmt.Fprintf(w, "%s  %-10s %s\n", mark, plain.Text(c.Name), plain.Text(c.Message))
	}
	if d.Bundle != "" {
		fmt.Fprintf(w, "\n%s contains the report for support; check its contents before you send it\n", plain.Text(d.Bundle))
	}
}
