package doorstest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
)

// HeapHeld is the number of bytes that a gateway's neural network and its cache occupy after the gateway has read a few
// screens. Benchmarks hold the same amount of memory. With an empty heap, the garbage collector would run a hundred
// times a second in both implementations that a benchmark compares.
const HeapHeld = 32 << 20

// EchoTool is a tool that returns its arguments as its result. The field Input is the JSON schema of the arguments.
type EchoTool struct{ Input string }

// Descriptor describes a safe built-in tool, test.echo.
func (e EchoTool) Descriptor() agent.Descriptor {
	return agent.Descriptor{Name: "test.echo", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}, Input: json.RawMessage(e.Input)}
}

func (EchoTool) Call(_ context.Context, call agent.Call) (agent.Result, error) {
	return agent.Result{Structured: call.Arguments}, nil
}

// Batch is the number of requests of one measurement. Connections is the number of connections that share them.
const (
	Batch       = 2000
	Connections = 8
)

// InParallel returns a function that sends a batch of requests over several connections. It calls ask once for each
// connection, all at the same time. The parameter n of ask is the number of requests to send.
func InParallel(ask func(n int) error) func() error {
	return func() error {
		var wg sync.WaitGroup
		errs := make([]error, Connections)
		for i := range errs {
			wg.Go(func() { errs[i] = ask(Batch / Connections) })
		}
		wg.Wait()
		return errors.Join(errs...)
	}
}

// SdkClient returns a function that posts body to url n times as the user ada, one request after the other. The
// function stops at the first status other than 200.
func SdkClient(url, body string) func(n int) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: Connections}}
	return func(n int) error {
		for range n {
			request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
			if err != nil {
				return err
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set(sdkapi.UserHeader, "ada")
			answer, err := client.Do(request)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if err != nil {
				return err
			}
			if answer.StatusCode != http.StatusOK {
				return errors.New(answer.Status)
			}
		}
		return nil
	}
}
