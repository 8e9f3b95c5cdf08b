package doorstest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/models/speech/transcription"
	"github.com/windieos/windie/sdkapi"
)

// Obedient is a model that obeys the last message: the first word of the message is a command. If the last message is
// a tool result, the model repeats the result.
type Obedient struct{ Left chan struct{} } // gets a value when a response to "long" has ended

// Stream counts each word as one token. After req.MaxTokens tokens it stops with the reason models.Length.
func (m *Obedient) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return func(yield func(models.Event, error) bool) {
		last := req.Messages[len(req.Messages)-1]
		end := models.Event{Kind: models.End, End: models.Stop}
		say := func(text string) bool {
			for i, word := range strings.SplitAfter(text, " ") {
				if req.MaxTokens > 0 && i >= req.MaxTokens {
					end.End = models.Length
					return true
				}
				if req.MaxTokens > 0 && i == req.MaxTokens-1 {
					word = strings.TrimSpace(word)
				}
				if word != "" && !yield(models.Event{Kind: models.Text, Text: word}, nil) {
					return false
				}
			}
			return true
		}
		if !m.Answer(ctx, req, last, say, yield, &end) {
			return
		}
		if yield(models.Event{Kind: models.UsageKnown, Usage: models.Usage{Input: 7, CacheRead: 4, Output: 3, Reasoning: 2}}, nil) {
			yield(end, nil)
		}
	}
}

// Answer executes the command in the last message. It returns false if the stream has already ended. The caller must
// then send no usage and no end event.
func (m *Obedient) Answer(ctx context.Context, req models.Request, last models.Message, say func(string) bool, yield func(models.Event, error) bool, end *models.Event) bool {
	if r := last.Parts[0].Result; r != nil {
		return say(r.Name + " gave " + r.Parts[0].Text)
	}
	var text, picture string
	for _, p := range last.Parts {
		text += p.Text
		if p.Image != nil {
			picture = p.Image.MediaType
		}
	}
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "call":
		name, arguments, _ := strings.Cut(rest, " ")
		end.End = models.ToolCalls
		return yield(models.Event{Kind: models.ToolCall, Call: &models.Call{ID: "call_1", Name: name, Arguments: json.RawMessage(arguments)}}, nil)
	case "json": // as arguments if it must call a tool, else as text
		if !req.MustCall {
			return say(rest)
		}
		end.End = models.ToolCalls
		return yield(models.Event{Kind: models.ToolCall, Call: &models.Call{ID: "call_1", Name: req.Tools[0].Name, Arguments: json.RawMessage(rest)}}, nil)
	case "long":
		defer func() { m.Left <- struct{}{} }()
		for yield(models.Event{Kind: models.Text, Text: "on and "}, nil) {
			select {
			case <-ctx.Done():
				return false
			case <-time.After(10 * time.Millisecond):
			}
		}
		return false
	case "left":
		select {
		case <-m.Left:
			return say("yes")
		case <-ctx.Done():
			return false
		}
	case "away":
		yield(models.Event{}, fault.New("test", sdkapi.ModelUnavailable, "the provider does not answer"))
		return false
	case "history":
		var roles []string
		for _, m := range req.Messages {
			roles = append(roles, string(m.Role))
		}
		rest = strings.Join(roles, " ")
	case "system":
		rest = req.System
	case "picture":
		rest = picture
	case "steady":
		rest = fmt.Sprint(req.Sampling.Temperature != nil && *req.Sampling.Temperature == 0)
	case "tools":
		var names []string
		for _, t := range req.Tools {
			names = append(names, t.Name)
		}
		rest = strings.Join(names, " ")
	}
	return say(rest)
}

// ModelAlone is the catalog of a gateway that has one model, "obedient".
type ModelAlone struct {
	OneModel
	Model models.Model
}

// List returns the model "obedient" for each user.
func (m ModelAlone) List(context.Context, string, ...string) sdkapi.ModelList {
	return sdkapi.ModelList{Local: []sdkapi.Model{{ID: "obedient", Provider: "test"}}}
}

func (m ModelAlone) Default() string { return "obedient" }

// Choose returns the model for the ids "obedient" and "". Any other id is a VALIDATION_ERROR.
func (m ModelAlone) Choose(_ context.Context, _, id string) (models.Model, models.Request, error) {
	if id != "" && id != "obedient" {
		return nil, models.Request{}, fault.New("test", sdkapi.ValidationError, "there is no model %s", id)
	}
	return m.Model, models.Request{Model: "obedient"}, nil
}

// threeCounts is an embedder whose vectors have three numbers, of which the first is the length of the text in bytes.
type threeCounts struct{}

// Embed returns one vector for each text and never fails.
func (threeCounts) Embed(_ context.Context, texts []string) ([][]float32, error) {
	list := make([][]float32, len(texts))
	for i, text := range texts {
		list[i] = []float32{float32(len(text)), 0.5, 1}
	}
	return list, nil
}

// ClockTool is a safe tool that always returns 10:00 AM.
var ClockTool = FakeTool{agent.Descriptor{Name: "time.now", Description: "The time."}, Always(agent.Result{Content: []agent.Part{agent.Text("10:00 AM")}})}

// OpenaiGateway starts a gateway for clients of the OpenAI API, and returns its URL. The gateway's transcription
// server accepts only RIFF files.
func OpenaiGateway(t *testing.T) string {
	t.Helper()
	whisper := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, _, err := r.FormFile("file")
		if err != nil || r.FormValue("model") != "whisper-1" {
			http.Error(w, "no recording", http.StatusBadRequest)
			return
		}
		head := make([]byte, 4)
		if _, err := file.Read(head); err != nil || string(head) != "RIFF" {
			http.Error(w, "no recording", http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(`{"text":" Open the settings."}`))
	}))
	t.Cleanup(whisper.Close)
	risky := FakeTool{agent.Descriptor{Name: "door.open", Description: "Opens the door.", Risk: agent.Risky}, Always(agent.Result{Content: []agent.Part{agent.Text("open")}})}
	return gatewaytest.Start(t, gateway.App{
		Models:      ModelAlone{Model: &Obedient{make(chan struct{}, 1)}},
		Embeddings:  embeddings.New("test", "counting", func() (embeddings.Embedder, error) { return threeCounts{}, nil }),
		Voice:       &Humming{Long: 200 * time.Millisecond},
		Transcriber: transcription.NewUploads(transcription.UploadsOptions{URL: whisper.URL, Model: "whisper-1"}),
		Store:       new(storetest.Memory), Scenes: gatewaytest.Scenes(t), Tools: RegistryOf(t, ClockTool, risky),
		OpenAITools: func(agent.Descriptor) bool { return true }, Responses: gatewaytest.Responses(t),
	})
}
