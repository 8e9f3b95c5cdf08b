package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// said is a message of one text.
func said(text string) sdkapi.V1Message {
	return sdkapi.V1Message{Parts: []sdkapi.V1Part{{Type: "text", Text: text}}}
}

// A program answers what the agent asks for, and hears each event once, through
// a connection that breaks after each.
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
