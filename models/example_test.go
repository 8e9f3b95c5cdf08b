package models_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// A turn of two requests: the model wants a tool, gets its result, and
// answers. Here it is a script; a provider's Open gives a real one.
func Example() {
	var model models.Model = modelstest.NewScript(
		modelstest.Reply{Thoughts: []string{"I need the time."}, Calls: []models.Call{{ID: "1", Name: "clock_now", Arguments: json.RawMessage(`{"zone":"UTC"}`)}}},
		modelstest.Reply{Text: []string{"It is ", "noon."}, Usage: models.Usage{Input: 40, Output: 6}},
	)
	model = models.Retry(model, models.RetryOptions{})

	history := []models.Message{{Role: models.User, Parts: []models.Part{{Text: "What time is it?"}}}}
	tools := []models.Tool{{Name: "clock_now", Description: "Tells the time.", Schema: json.RawMessage(`{"type":"object"}`)}}
	for end := models.EndReason(""); end != models.Stop; {
		said, results := models.Message{Role: models.Assistant}, models.Message{Role: models.ToolRole}
		for event, err := range model.Stream(context.Background(), models.Request{Model: "gpt-5.4", Messages: history, Tools: tools}) {
			if err != nil {
				fmt.Println(err)
				return
			}
			switch event.Kind {
			case models.ThoughtEnd:
				said.Parts = append(said.Parts, models.Part{Thought: event.Thought})
			case models.Text:
				fmt.Printf("text: %q\n", event.Text)
				said.Parts = append(said.Parts, models.Part{Text: event.Text})
			case models.ToolCall:
				fmt.Printf("call: %s%s\n", event.Call.Name, event.Call.Arguments)
				said.Parts = append(said.Parts, models.Part{Call: event.Call})
				results.Parts = append(results.Parts, models.Part{Result: &models.Result{CallID: event.Call.ID, Name: event.Call.Name, Parts: []models.Part{{Text: "12:00"}}}})
			case models.UsageKnown:
				fmt.Println("tokens:", event.Usage.Total(), "estimated:", event.Usage.Estimated)
			case models.End:
				end = event.End
			}
		}
		history = append(history, said, results)
	}
	// Output:
	// call: clock_now{"zone":"UTC"}
	// tokens: 45 estimated: true
	// text: "It is "
	// text: "noon."
	// tokens: 46 estimated: false
}

func ExampleCatalogue_Find() {
	choice, err := models.BuiltinCatalogue().Find("gpt-5.4@@gpt-5-4-low-thinking")
	fmt.Println(choice.Provider.Kind, choice.Model, choice.Reasoning, err)
	// Output: openai gpt-5.4 low <nil>
}
