package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// said returns a message with one text.
func said(text string) sdkapi.V1Message {
	return sdkapi.V1Message{Parts: []sdkapi.V1Part{{Type: "text", Text: text}}}
}

// TestGeneral runs a program that answers the agent's tool requests. It gets each event once,
// although the connection breaks after each event.
func TestGeneral(t *testing.T) {
	t.Parallel()
	c := promptClient(t, breaking(t, asking(t)))
	session, err := c.General.Begin(t.Context(), sdkapi.V1SessionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	for e, err := range c.General.Chat(t.Context(), session.GeneralSessionID, said("What is here?")) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.ID == "":
			t.Errorf("an event without an id: %+v", e)
		case e.Request != nil:
			heard = append(heard, "may I "+e.Request.Name)
			for range 2 {
				if err := c.General.Result(t.Context(), session.GeneralSessionID, sdkapi.V1ToolResult{ID: e.Request.ID, OK: true}); err != nil {
					t.Fatal(err)
				}
			}
		case e.Ack != nil:
			heard = append(heard, "taken")
		case e.Result != nil:
			heard = append(heard, e.Result.Result)
		case e.Final != nil:
			heard = append(heard, e.Final.Text)
		}
	}
	if got, want := strings.Join(heard, "; "), `may I shell_exec; taken; ran {"command":"ls"}; Three files.`; got != want {
		t.Errorf("heard %s", got)
	}
	if err := c.General.Result(t.Context(), session.GeneralSessionID, sdkapi.V1ToolResult{ID: "call-1"}); !errors.Is(err, &sdkapi.Error{Code: sdkapi.DecisionConflict}) {
		t.Errorf("a late no got %v", err)
	}
	if out, err := c.General.Cancel(t.Context(), session.GeneralSessionID); err != nil || !out.Accepted || out.Canceled {
		t.Errorf("canceled late: %+v, %v", out, err)
	}
	again, err := c.General.Begin(t.Context(), sdkapi.V1SessionRequest{PreferredSessionID: session.GeneralSessionID})
	if err != nil || !again.Resumed {
		t.Errorf("it goes on as %+v, %v", again, err)
	}
	for _, err := range c.General.Chat(t.Context(), "g_none", said("Hi")) {
		if !errors.Is(err, &sdkapi.Error{Code: sdkapi.SessionNotFound}) {
			t.Errorf("without a session: %v", err)
		}
	}
}

// TestAnsweredIsNotAskedAgain requests the events of a turn again, by the id of its message and
// from the first event. Tool requests that have results must not come again.
func TestAnsweredIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	c := promptClient(t, asking(t))
	session, err := c.General.Begin(t.Context(), sdkapi.V1SessionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	message := said("What is here?")
	message.ID = "m1"
	var asked []int
	for range 2 {
		asked = append(asked, 0)
		for e, err := range c.General.Chat(t.Context(), session.GeneralSessionID, message) {
			switch {
			case err != nil:
				t.Fatal(err)
			case e.Request != nil:
				asked[len(asked)-1]++
				if err := c.General.Result(t.Context(), session.GeneralSessionID, sdkapi.V1ToolResult{ID: e.Request.ID, OK: true}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if !slices.Equal(asked, []int{1, 0}) {
		t.Errorf("it is asked for %v times", asked)
	}
	c = promptClient(t, asking(t))
	prompt, approvals := "", 0
	hear := func(events iter.Seq2[sdk.PromptEvent, error]) {
		for e, err := range events {
			switch {
			case err != nil:
				t.Fatal(err)
			case e.Created != nil:
				prompt = e.Created.PromptID
			case e.Approval != nil:
				approvals++
				if err := c.Prompts.Approve(t.Context(), prompt, e.Approval.ToolCallID, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	hear(c.Prompts.Start(t.Context(), sdkapi.PromptStart{Input: "What is here?"}))
	hear(c.Prompts.Events(t.Context(), prompt, "", false))
	if approvals != 1 {
		t.Errorf("%d approvals are asked for", approvals)
	}
}

// TestGeneralCancel cancels a turn that waits for a tool. The loop over its events must end too.
func TestGeneralCancel(t *testing.T) {
	t.Parallel()
	c := promptClient(t, asking(t))
	session, err := c.General.Begin(t.Context(), sdkapi.V1SessionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	reason := ""
	for e, err := range c.General.Chat(t.Context(), session.GeneralSessionID, said("What is here?")) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Request != nil:
			for range 2 {
				if out, err := c.General.Cancel(t.Context(), session.GeneralSessionID); err != nil || !out.Canceled {
					t.Errorf("to cancel it: %+v, %v", out, err)
				}
			}
		case e.Failed != nil:
			reason = e.Failed.Reason
		}
	}
	if reason != "canceled" {
		t.Errorf("it ends for %q", reason)
	}
}

func ExampleGeneral() {
	client, err := sdk.New("http://127.0.0.1:8765")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	session, err := client.General.Begin(ctx, sdkapi.V1SessionRequest{})
	if err != nil {
		panic(err)
	}
	for e, err := range client.General.Chat(ctx, session.GeneralSessionID, said("Plan my week")) {
		switch {
		case err != nil:
			panic(err)
		case e.Request != nil: // ask the user, and run it
			err := client.General.Result(ctx, session.GeneralSessionID, sdkapi.V1ToolResult{ID: e.Request.ID, OK: true, Result: "Launched Calendar"})
			if err != nil {
				panic(err)
			}
		case e.Final != nil:
			fmt.Println(e.Final.Text)
		}
	}
}
