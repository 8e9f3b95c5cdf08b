package gemini_test

import (
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/gemini"
	"github.com/windieos/windie/models/modelstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens the models of a test server.
func open(baseURL string, key models.Secret, client *http.Client) (models.Model, error) {
	return gemini.Open(gemini.Config{BaseURL: baseURL, APIKey: key, HTTPClient: client})
}

func TestSuite(t *testing.T) { modelstest.Run(t, modelstest.Gemini, open) }

// TestUnreadableCall checks a call that the server could not parse. Newer models refuse a call
// without a signature, and the server returns the text of the call.
func TestUnreadableCall(t *testing.T) {
	const raw = `data: {"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(api.shot())"}]}` + "\n\n"
	server := modelstest.Serve(t, modelstest.Gemini, modelstest.Reply{Raw: raw}, modelstest.Reply{Text: []string{"Done."}})
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	model, err := open(server.URL, models.Secret{}, client)
	if err != nil {
		t.Fatal(err)
	}
	req := models.Request{Model: "m", Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "Look."}}}}}
	got, err := modelstest.Collect(model.Stream(t.Context(), req))
	if err != nil || len(got.Calls) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if written, _ := got.Calls[0].Invalid(); written != "Malformed function call: print(api.shot())" {
		t.Errorf("the model wrote %q", written)
	}
	req.Messages = append(req.Messages, models.Message{Role: models.Assistant, Parts: []models.Part{{Call: &got.Calls[0]}}})
	if _, err := modelstest.Collect(model.Stream(t.Context(), req)); err != nil || !strings.Contains(server.Asked()[1].Body, `"thoughtSignature":"`) {
		t.Errorf("%v: %s", err, server.Asked()[1].Body)
	}
}
