package sdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A program plans a query: it gets the system prompt, the number of tokens, and the messages that
// would send the query.
func ExampleAgent() {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // yours is at http://127.0.0.1:8765
		fmt.Fprint(w, `{"system_prompt":"You are Windie.","prompt_token_count":1234,"token_counts":{"tools":1100},"query_message":{"type":"query","payload":{"text":"open file","conversation_ref":"c1"}}}`)
	}))
	defer gateway.Close()
	client, err := sdk.New(gateway.URL)
	if err != nil {
		panic(err)
	}
	plan, err := client.Agent.QueryPlan(context.Background(), sdkapi.PromptRequest{UserQueryRaw: "open file", ConversationRef: "c1"})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.SystemPrompt, *plan.PromptTokenCount, "tokens, of which the tools take", plan.TokenCounts.Tools)
	fmt.Println(plan.QueryMessage.Type, plan.QueryMessage.Payload.Text)
	// Output:
	// You are Windie. 1234 tokens, of which the tools take 1100
	// query open file
}
