package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// doctorTimeout bounds all checks together.
const doctorTimeout = 20 * time.Second

func doctorCommand(load loader) *cobra.Command {
	var running bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what the gateway needs, and say what to do about what is missing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorTimeout)
			defer cancel()
			checks := examine
			if running {
				checks = askRunning
			}
			list, err := checks(ctx, c)
			if err != nil {
				return err
			}
			return report(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().BoolVar(&running, "running", false, "ask the gateway that runs at the listen address instead")
	return cmd
}

// examine checks the parts that a gateway with these settings would use.
func examine(ctx context.Context, c *config) ([]sdkapi.Check, error) {
	checks := []sdkapi.Check{{Name: "settings", OK: true, Message: "are valid"}}
	store, err := openStore(ctx, c)
	if err == nil {
		err = store.Ready(ctx)
	}
	checks = append(checks, checkOf("artifacts", "the store can be used", err))
	scenes := newScenes(c, nil)
	err = scenes.Ready(ctx)
	checks = append(checks, checkOf("ocr", scenes.EngineName(), err), checkRuntime(c))
	return append(checks, checkOf("listen", c.Listen+" is free", checkFree(ctx, c.Listen))), nil
}

func checkOf(name, fine string, err error) sdkapi.Check {
	if err == nil {
		return sdkapi.Check{Name: name, OK: true, Message: fine}
	}
	if f := fault.From(err); f.Code != sdkapi.Internal {
		return sdkapi.Check{Name: name, Message: f.Message}
	}
	return sdkapi.Check{Name: name, Message: err.Error()} // the operator may read causes
}

// checkFree reports whether the gateway could listen on addr.
func checkFree(ctx context.Context, addr string) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("%w: if a gateway runs there, `windie doctor --running` asks it", err)
	}
	return ln.Close()
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

// report prints the checks, and fails when one of them does.
func report(w io.Writer, checks []sdkapi.Check) error {
	var failed error
	for _, c := range checks {
		mark := "ok  "
		if !c.OK {
			mark, failed = "FAIL", silentError(exitFailed)
		}
		fmt.Fprintf(w, "%s  %-10s %s\n", mark, c.Name, c.Message)
	}
	return failed
}
