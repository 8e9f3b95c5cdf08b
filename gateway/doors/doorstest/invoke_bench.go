package doorstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
)

// HeapHeld is what a gateway holds that has read a few screens: its network
// and what it keeps of them. In a heap of nothing the collector would run a
// hundred times a second, for either handler.
const HeapHeld = 32 << 20

// EchoTool answers with its arguments.
type EchoTool struct{ Input string }

func (e EchoTool) Descriptor() agent.Descriptor {
	return agent.Descriptor{Name: "test.echo", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}, Input: json.RawMessage(e.Input)}
}

func (EchoTool) Call(_ context.Context, call agent.Call) (agent.Result, error) {
	return agent.Result{Structured: call.Arguments}, nil
}

// A batch is what one measurement sends, over so many connections.
const (
	Batch       = 2000
	Connections = 8
)

// InParallel returns what sends a batch.
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
			if err != nil || answer.StatusCode != http.StatusOK {
				return fmt.Errorf("%s %w", answer.Status, err)
			}
		}
		return nil
	}
}
