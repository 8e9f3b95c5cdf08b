package modelstest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Open opens the models of a provider whose server is at baseURL.
type Open func(baseURL string, key models.Secret, client *http.Client) (models.Model, error)

// canary is a key that must not appear in any output.
const canary = "sk-canary-0123456789abcdefghij"

type suite struct {
	protocol Protocol
	open     Open
}

// Run tests a provider: it runs the suite against a server that uses the given protocol.
func Run(t *testing.T, protocol Protocol, open Open) {
	s := suite{protocol, open}
	t.Run("says what the model says", s.answers)
	t.Run("tells usage in kinds", s.usage)
	t.Run("tells why it ended", s.ends)
	t.Run("takes no unknown end for a success", s.oddEnds)
	t.Run("gives on a call that its provider cannot read", s.unreadable)
	t.Run("sends everything", s.sends)
	t.Run("asks for the likeliest answer", s.steady)
	t.Run("goes through a turn", s.turn)
	t.Run("takes a long history", s.long)
	t.Run("ends with its context", s.cancel)
	t.Run("ends with its reader", s.leave)
	t.Run("asks again once it may", s.again)
	t.Run("keeps what it is asked as it is", s.untouched)
	s.faults(t)
}

// model opens the provider on a server with these replies.
func (s suite) model(t *testing.T, replies ...Reply) (models.Model, *Server) {
	t.Helper()
	server := Serve(t, s.protocol, replies...)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	model, err := s.open(server.URL, models.NewSecret(canary), client)
	if err != nil {
		t.Fatal(err)
	}
	return model, server
}

// Answer is a whole answer: the joined content of its events.
type Answer struct {
	Thinking string
	Text     string
	Thoughts []models.Thought
	Calls    []models.Call
	Usage    models.Usage
	End      models.EndReason
	Events   []models.EventKind // kinds of the events in order; adjacent events of one kind count once
}

// Collect reads an answer to its end. If the answer fails, Collect returns the error and the part
// of the answer before the error.
func Collect(events iter.Seq2[models.Event, error]) (a Answer, err error) {
	var thinking, text strings.Builder
	defer func() { a.Thinking, a.Text = thinking.String(), text.String() }()
	for e, err := range events {
		if err != nil {
			return a, err
		}
		if last := len(a.Events) - 1; last < 0 || a.Events[last] != e.Kind {
			a.Events = append(a.Events, e.Kind)
		}
		switch e.Kind {
		case models.Thinking:
			thinking.WriteString(e.Text)
		case models.ThoughtEnd:
			a.Thoughts = append(a.Thoughts, *e.Thought)
		case models.Text:
			text.WriteString(e.Text)
		case models.ToolCall:
			a.Calls = append(a.Calls, *e.Call)
		case models.UsageKnown:
			a.Usage = e.Usage
		case models.End:
			a.End = e.End
		}
	}
	return a, nil
}

// message returns the answer as a message for the next request: thoughts, then the text, then calls.
func (a Answer) message() models.Message {
	m := models.Message{Role: models.Assistant}
	for i := range a.Thoughts {
		m.Parts = append(m.Parts, models.Part{Thought: &a.Thoughts[i]})
	}
	if a.Text != "" {
		m.Parts = append(m.Parts, models.Part{Text: a.Text})
	}
	for i := range a.Calls {
		m.Parts = append(m.Parts, models.Part{Call: &a.Calls[i]})
	}
	return m
}

// ask reads an answer, which must be complete.
func ask(t *testing.T, model models.Model, req models.Request) Answer {
	t.Helper()
	got, err := Collect(model.Stream(t.Context(), req))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// said returns a message of the user.
func said(text string) models.Message {
	return models.Message{Role: models.User, Parts: []models.Part{{Text: text}}}
}

// asking returns a request with one message of the user.
func asking(text string) models.Request {
	return models.Request{Model: "test-model", Messages: []models.Message{said(text)}}
}

// answers checks the content of an answer with a thought, text and calls, and the order of its events.
func (s suite) answers(t *testing.T) {
	reply := Reply{
		Thoughts: []string{"Where is ", "it?"}, Text: []string{"I look ", "for \"it\" — ", "日本"},
		Calls: []models.Call{
			{ID: "one", Name: "find_text", Arguments: json.RawMessage(`{"text":"a \"b\"","n":1}`)},
			{ID: "two", Name: "clock_now", Arguments: json.RawMessage(`{}`)},
			{ID: "three", Name: "find_text", Arguments: json.RawMessage(`{"text":"c"}`)},
		},
		Usage: models.Usage{Input: 1, Output: 1},
	}
	model, _ := s.model(t, reply)
	got := ask(t, model, asking("find it"))
	if got.Thinking != "Where is it?" || len(got.Thoughts) != 1 || got.Thoughts[0].Text != "Where is it?" || got.Thoughts[0].Provider == "" {
		t.Errorf("thought %q, whole %+v", got.Thinking, got.Thoughts)
	}
	if got.Text != strings.Join(reply.Text, "") {
		t.Errorf("said %q", got.Text)
	}
	if len(got.Calls) != len(reply.Calls) {
		t.Fatalf("calls %+v", got.Calls)
	}
	for i, c := range got.Calls {
		want := reply.Calls[i]
		if c.Name != want.Name || c.ID != want.ID || !sameJSON(c.Arguments, want.Arguments) {
			t.Errorf("call %d is %s %s(%s)", i, c.ID, c.Name, c.Arguments)
		}
	}
	if got.End != models.ToolCalls {
		t.Errorf("ended with %s", got.End)
	}
	order := []models.EventKind{models.Thinking, models.ThoughtEnd, models.Text, models.ToolCall, models.UsageKnown, models.End}
	if !reflect.DeepEqual(got.Events, order) {
		t.Errorf("events in the order %v", got.Events)
	}
}

// sameJSON reports whether two texts are the same JSON value. The order of fields does not matter.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// usage checks each kind of token. If the provider reports no usage, the model must estimate it.
func (s suite) usage(t *testing.T) {
	want := models.Usage{Input: 100, CacheRead: 4000, Output: 50, Reasoning: 300}
	if s.protocol.Caches {
		want.CacheWrite = 20
	}
	model, _ := s.model(t, Reply{Text: []string{"hm"}, Usage: want}, Reply{Text: []string{"hm hm hm hm"}})
	got, err := Collect(model.Stream(t.Context(), asking("count")))
	if err != nil || got.Usage != want {
		t.Errorf("%+v, %v", got.Usage, err)
	}
	got, err = Collect(model.Stream(t.Context(), asking("count this, please")))
	if s.protocol.Counts {
		return
	}
	if err != nil || !got.Usage.Estimated || got.Usage.Input == 0 || got.Usage.Output == 0 {
		t.Errorf("untold: %+v, %v", got.Usage, err)
	}
}

// ends checks the reasons for the end of an answer that providers report.
func (s suite) ends(t *testing.T) {
	for _, want := range []models.EndReason{models.Stop, models.Length, models.Refused} {
		model, _ := s.model(t, Reply{Text: []string{"well"}, End: want})
		if got, err := Collect(model.Stream(t.Context(), asking("go on"))); err != nil || got.End != want {
			t.Errorf("%s: %s, %v", want, got.End, err)
		}
	}
}

// oddEnds sends providers' words for incomplete answers, and an unknown one.
func (s suite) oddEnds(t *testing.T) {
	call := []models.Call{{ID: "c1", Name: "shot", Arguments: json.RawMessage(`{"x":1}`)}}
	for _, word := range []string{"OTHER", "pause_turn", "error", "insufficient_system_resource", "of next year"} {
		for name, reply := range map[string]Reply{"alone": {}, "behind half an answer": {Text: []string{"half"}}, "behind a call": {Calls: call}} {
			t.Run(word+" "+name, func(t *testing.T) {
				reply.EndWord = word
				model, _ := s.model(t, reply)
				got, err := Collect(model.Stream(t.Context(), asking("go on")))
				if fault.CodeOf(err) != sdkapi.ModelUnavailable || len(got.Calls) > 0 || got.End != "" {
					t.Errorf("%+v, %v", got, err)
				}
			})
		}
	}
}

// unreadable sends a call that the provider could not parse, at each position of an answer. The
// call must be sent back with its result like any other.
func (s suite) unreadable(t *testing.T) {
	call := []models.Call{{ID: "c1", Name: "shot", Arguments: json.RawMessage(`{"x":1}`)}}
	for name, reply := range map[string]Reply{
		"alone": {}, "behind a thought": {Thoughts: []string{"hm"}, Signature: "c2lnbmVk"}, "behind a word": {Text: []string{"I look."}}, "behind a call": {Calls: call},
	} {
		for _, word := range []string{"MALFORMED_FUNCTION_CALL", "function_call_filter: MALFORMED_FUNCTION_CALL"} {
			t.Run(word+" "+name, func(t *testing.T) {
				reply.EndWord = word
				model, server := s.model(t, reply, Reply{Text: []string{"Done."}})
				req := asking("look")
				got := ask(t, model, req)
				if len(got.Calls) != len(reply.Calls)+1 || got.End != models.ToolCalls || got.Text != strings.Join(reply.Text, "") {
					t.Fatalf("%+v", got)
				}
				last := got.Calls[len(got.Calls)-1]
				if _, invalid := last.Invalid(); !invalid || last.Name != "" || last.ID == "" {
					t.Errorf("the call is %+v", last)
				}
				results := models.Message{Role: models.ToolRole}
				for _, c := range got.Calls {
					results.Parts = append(results.Parts, models.Part{Result: &models.Result{CallID: c.ID, Name: c.Name, Parts: []models.Part{{Text: "write it again"}}, IsError: true}})
				}
				req.Messages = append(req.Messages, got.message(), results)
				if ask(t, model, req); !strings.Contains(server.Asked()[1].Body, "write it again") {
					t.Errorf("the model does not learn of it: %s", server.Asked()[1].Body)
				}
			})
		}
	}
}

// picture returns a PNG of 30 x 20 pixels.
func picture() models.Image {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		panic(err)
	}
	return models.Image{MediaType: "image/png", Data: b.Bytes()}
}

// sends checks that a request contains each field of models.Request, and the key only in one header.
func (s suite) sends(t *testing.T) {
	model, server := s.model(t, Reply{Text: []string{"a gray image"}})
	img := picture()
	req := asking("what is this?")
	req.System, req.MaxTokens, req.User = "You look at screens.", 77, "user-31"
	req.Messages[0].Parts = append(req.Messages[0].Parts, models.Part{Image: &img})
	req.Tools = []models.Tool{{Name: "find_text", Description: "Finds text.", Schema: json.RawMessage(`{"type":"object","properties":{"needle":{"type":"string"}},"required":["needle"]}`)}, {Name: "bare"}}
	ask(t, model, req)
	asked := server.Asked()[0]
	for _, want := range []string{
		"what is this?", "You look at screens.", "77", "find_text", "Finds text.", `"needle"`, "bare", base64.StdEncoding.EncodeToString(img.Data), "image/png",
	} {
		if !strings.Contains(asked.Body, want) {
			t.Errorf("the request lacks %q: %s", want, asked.Body)
		}
	}
	if in := s.protocol.InPath; in && !strings.Contains(asked.Path, "test-model") || !in && !strings.Contains(asked.Body, `"model":"test-model"`) {
		t.Errorf("asked another model at %s: %s", asked.Path, asked.Body)
	}
	if !s.protocol.NoUser && !strings.Contains(asked.Body, "user-31") {
		t.Errorf("the request lacks the user: %s", asked.Body)
	}
	if keys := fmt.Sprint(asked.Header); strings.Count(keys, canary) != 1 {
		t.Errorf("the key is not there once: %s", keys)
	}
	if strings.Contains(asked.Body+asked.Path, canary) {
		t.Error("the key is in the body or the path")
	}
}

// steady sends a request for the likeliest answer and one without.
func (s suite) steady(t *testing.T) {
	for _, steady := range []bool{true, false} {
		model, server := s.model(t, Reply{Text: []string{"yes"}})
		req := asking("well?")
		if steady {
			req.Sampling = models.Likeliest()
		}
		ask(t, model, req)
		if body := server.Asked()[0].Body; strings.Contains(body, `"temperature":`) != steady {
			t.Errorf("steady is %v: %s", steady, body)
		}
	}
}

// turn sends a request, answers its calls, and sends the next request with everything that the
// provider gave.
func (s suite) turn(t *testing.T) {
	first := Reply{
		Thoughts: []string{"hmm"}, Signature: "c2lnbmVk", Text: []string{"Let me see."},
		Calls: []models.Call{{ID: "c1", Name: "shot", Arguments: json.RawMessage(`{"x":1}`)}, {ID: "c2", Name: "shot", Arguments: json.RawMessage(`{"x":2}`)}},
	}
	model, server := s.model(t, first, Reply{Text: []string{"Both are gray."}})
	req := asking("look")
	got := ask(t, model, req)
	img := picture()
	req.Messages = append(req.Messages, got.message(), models.Message{Role: models.ToolRole, Parts: []models.Part{
		{Result: &models.Result{CallID: got.Calls[1].ID, Name: "shot", Parts: []models.Part{{Text: "it broke"}}, IsError: true}},
		{Result: &models.Result{CallID: got.Calls[0].ID, Name: "shot", Parts: []models.Part{{Text: "first picture"}, {Image: &img}}}},
	}}, said("and?"))
	if got = ask(t, model, req); got.Text != "Both are gray." {
		t.Fatalf("%+v", got)
	}
	body := server.Asked()[1].Body
	var at int
	for _, want := range []string{"look", "Let me see.", "first picture", "it broke", "and?"} {
		found := strings.Index(body[at:], want)
		if found < 0 {
			t.Fatalf("%q is not behind what comes before it: %s", want, body)
		}
		at += found
	}
	if !strings.Contains(body, base64.StdEncoding.EncodeToString(img.Data)) {
		t.Error("the image of a result is not there")
	}
	if signed := s.protocol.Signed; signed != nil && !strings.Contains(body, signed(first.Signature)) {
		t.Errorf("the thought's signature did not go back: %s", body)
	}
}

// long sends a history of 2,000 exchanges, each with a call and its result.
func (s suite) long(t *testing.T) {
	model, server := s.model(t, Reply{Text: []string{"yes"}})
	req := models.Request{Model: "test-model"}
	for i := range 2000 {
		call := models.Call{ID: fmt.Sprint("c", i), Name: "n", Arguments: json.RawMessage(`{}`)}
		req.Messages = append(req.Messages, said(fmt.Sprint("question ", i)), models.Message{Role: models.Assistant, Parts: []models.Part{{Text: "answer"}, {Call: &call}}},
			models.Message{Role: models.ToolRole, Parts: []models.Part{{Result: &models.Result{CallID: call.ID, Name: "n", Parts: []models.Part{{Text: "r"}}}}}})
	}
	ask(t, model, req)
	if !strings.Contains(server.Asked()[0].Body, "question 1999") {
		t.Error("the end of the conversation is not there")
	}
}

// soon limits how long a stream may take to end.
const soon = time.Second

// cancel cancels a request after its first event. The stream must end soon, with the error of the context.
func (s suite) cancel(t *testing.T) {
	model, _ := s.model(t, Reply{Text: strings.Split(strings.Repeat("word ", 200), " "), Delay: 50 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at time.Time
	var last error
	for _, err := range model.Stream(ctx, asking("talk")) {
		if at.IsZero() {
			at = time.Now()
			cancel()
		}
		last = err
	}
	if took := time.Since(at); took > soon || !errors.Is(last, context.Canceled) {
		t.Errorf("ended after %v with %v", took, last)
	}
}

// leave stops reading after the first event. The request to the server must end soon.
func (s suite) leave(t *testing.T) {
	model, server := s.model(t, Reply{Text: strings.Split(strings.Repeat("word ", 200), " "), Delay: 50 * time.Millisecond})
	for _, err := range model.Stream(t.Context(), asking("talk")) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	at := time.Now()
	server.server.Close() // waits for running requests
	if took := time.Since(at); took > soon {
		t.Errorf("the request went on for %v", took)
	}
}

// again checks that models.Retry repeats a request after faults that may pass.
func (s suite) again(t *testing.T) {
	model, server := s.model(t, Reply{Fault: Overloaded}, Reply{Fault: Reset}, Reply{Text: []string{"here"}})
	retrying := models.Retry(model, models.RetryOptions{FirstWait: time.Millisecond})
	got, err := Collect(retrying.Stream(t.Context(), asking("there?")))
	if err != nil || got.Text != "here" || len(server.Asked()) != 3 {
		t.Errorf("%+v after %d requests, %v", got, len(server.Asked()), err)
	}
}

// untouched checks that a model does not change the request of its caller.
func (s suite) untouched(t *testing.T) {
	model, _ := s.model(t, Reply{Text: []string{"yes"}})
	fresh := func() models.Request {
		req := asking("a")
		req.Messages = append(req.Messages, said("b"), models.Message{Role: models.Assistant}, said(""))
		req.Tools = []models.Tool{{Name: "bare"}}
		return req
	}
	req := fresh()
	if _, err := Collect(model.Stream(t.Context(), req)); err != nil || !reflect.DeepEqual(req, fresh()) {
		t.Errorf("%+v, %v", req, err)
	}
}
