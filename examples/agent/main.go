// Command agent asks an agent that can use a tool of this program. It asks you before a tool
// changes something.
//
//	go run ./examples/agent "Keep three notes"
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// main takes the question as its only argument. It exits with 2 without one, and with 1 after an
// error.
func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: agent QUESTION, for example: agent \"Keep three notes\"")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// run asks the question, and prints the answer and the stored notes.
func run(ctx context.Context, question string, in io.Reader, out io.Writer) error {
	client, err := sdk.New(cmp.Or(os.Getenv("WINDIE_URL"), "http://127.0.0.1:8765"))
	if err != nil {
		return err
	}
	var mu sync.Mutex // calls may come from several goroutines
	var notes []string
	answers := bufio.NewScanner(in)
	agent, err := client.WakeUp(ctx, sdk.WakeOptions{
		User: cmp.Or(os.Getenv("USER"), sdkapi.LocalUser),
		Tools: []sdk.WakeTool{{
			// so that Approve is called
			Name: "save_note", Description: "Stores a note for the user.", Risk: "risky",
			Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`),
			Run: func(_ context.Context, call sdk.WakeCall) sdk.WakeResult {
				var in struct{ Text string }
				if err := json.Unmarshal(call.Arguments, &in); err != nil {
					return sdk.WakeResult{Error: err.Error()}
				}
				mu.Lock()
				defer mu.Unlock()
				notes = append(notes, in.Text)
				return sdk.WakeResult{Output: fmt.Sprintf("kept as number %d", len(notes))}
			},
		}},
		Approve: func(_ context.Context, q sdkapi.WSApprovalRequestPayload) (bool, string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(os.Stderr, "%s %s? %s [yes] ", q.ToolName, q.Parameters, q.Reason)
			return answers.Scan() && strings.TrimSpace(answers.Text()) == "yes", "the user said no"
		},
	})
	if err != nil {
		return err
	}
	defer agent.Close()
	answer, err := agent.Ask(ctx, sdk.WakeQuestion{Text: question})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, answer.Text)
	for _, note := range notes {
		fmt.Fprintln(out, "-", note)
	}
	return nil
}
