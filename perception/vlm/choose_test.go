package vlm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/vlm"
	"github.com/windieos/windie/sdkapi"
)

// blind is the server of a model without eyes. It keeps the last question.
type blind struct {
	answer string
	delay  time.Duration
	asked  atomic.Value
}

func (b *blind) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 1 {
		http.Error(w, fmt.Sprint(err), http.StatusTeapot)
		return
	}
	b.asked.Store(string(body.Messages[0].Content))
	select {
	case <-time.After(b.delay):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprint(w, stream(b.answer))
}

func openBlind(t *testing.T, b *blind, timeout time.Duration) *vlm.Client {
	t.Helper()
	web := httptest.NewServer(b)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return open(t, vlm.Config{URL: web.URL + "/v1", Model: "words", Blind: true, Timeout: timeout})
}

var three = []string{`button "Cancel 2"`, `button "Save", disabled`, `icon button, trash, in the row of "Not found, 3.5"`}

// TestChoose checks that only the number of one line, or the word "none", is an answer.
func TestChoose(t *testing.T) {
	t.Parallel()
	const none = -1
	for name, tt := range map[string]struct {
		answer string
		index  int // if code is ""
		code   sdkapi.Code
		why    vlm.Why
	}{
		"a number":                {answer: "2", index: 1},
		"in words":                {answer: "The answer is **3**.", index: 2},
		"as JSON":                 {answer: `{"number": 1}`, index: 0},
		"after thoughts":          {answer: "<think>2 or 3? Rather 3.</think>\n3", index: 2},
		"with its line":           {answer: "1 " + three[0], index: 0},
		"with a line of numbers":  {answer: "3 " + three[2], index: 2},
		"twice":                   {answer: "2\n\nNumber 2", index: 1},
		"none":                    {answer: "none", index: none},
		"none, in a sentence":     {answer: "None of the 3 elements fits.", index: none},
		"no such":                 {answer: "There is no such element.", index: none},
		"words":                   {answer: "The save button, I think.", code: sdkapi.TargetNotFound, why: vlm.Unclear},
		"several":                 {answer: "1 or 3", code: sdkapi.AmbiguousMatch, why: vlm.Several},
		"a list":                  {answer: "[1,2]", code: sdkapi.AmbiguousMatch, why: vlm.Several},
		"all":                     {answer: strings.Repeat("1 2 3 ", 500), code: sdkapi.AmbiguousMatch, why: vlm.Several},
		"zero":                    {answer: "0", code: sdkapi.ModelError, why: vlm.Outside},
		"too large":               {answer: "4", code: sdkapi.ModelError, why: vlm.Outside},
		"far too large":           {answer: strings.Repeat("9", 400), code: sdkapi.ModelError, why: vlm.Outside},
		"negative":                {answer: "-2", code: sdkapi.ModelError, why: vlm.Outside},
		"a fraction":              {answer: "2.5", code: sdkapi.ModelError, why: vlm.Outside},
		"refusal":                 {answer: "I'm sorry, I can't help with that.", code: sdkapi.ModelError, why: vlm.Refused},
		"empty":                   {answer: "", code: sdkapi.ModelError},
		"only thoughts":           {answer: "<think>2", code: sdkapi.ModelError},
		"too long":                {answer: strings.Repeat("words ", 10_000), code: sdkapi.ModelError},
		"a label with other text": {answer: `the button "Save"`, code: sdkapi.TargetNotFound, why: vlm.Unclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := openBlind(t, &blind{answer: tt.answer}, 0).Choose(t.Context(), "keep it", three)
			miss, _ := errors.AsType[*vlm.Miss](err)
			if fault.CodeOf(err) != tt.code || tt.code == "" && got.Index != tt.index || tt.code != "" && got.Index != none || len(got.Said) > 200 {
				t.Errorf("%+v, %v", got, err)
			}
			if why := vlm.Why(""); miss != nil && miss.Why != tt.why || miss == nil && tt.why != why {
				t.Errorf("%+v, want %s", miss, tt.why)
			}
		})
	}
}

// TestChooseAsks checks that the question has the description and the numbered lines, and no image.
func TestChooseAsks(t *testing.T) {
	t.Parallel()
	b := &blind{answer: "2"}
	got, err := openBlind(t, b, 0).Choose(t.Context(), "the save button", three)
	asked, _ := b.asked.Load().(string)
	if err != nil || got.Model != "words" || got.Usage.Input != 100 || !strings.Contains(asked, `the save button\n1 button \"Cancel 2\"\n2 button`) || strings.Contains(asked, "image") {
		t.Errorf("%+v, %v: %s", got, err, asked)
	}
	many := slices.Repeat(three, 9)
	for _, lines := range [][]string{nil, many} {
		if _, err := openBlind(t, b, 0).Choose(t.Context(), "it", lines); fault.CodeOf(err) != sdkapi.ValidationError {
			t.Errorf("%d lines: %v", len(lines), err)
		}
	}
	if _, err := openBlind(t, b, 0).Choose(t.Context(), strings.Repeat("x", vlm.MaxDescription+1), three); fault.CodeOf(err) != sdkapi.ValidationError {
		t.Error(err)
	}
}

// TestChooseEnds checks the time limit.
func TestChooseEnds(t *testing.T) {
	t.Parallel()
	if _, err := openBlind(t, &blind{answer: "2", delay: time.Minute}, 100*time.Millisecond).Choose(t.Context(), "it", three); fault.CodeOf(err) != sdkapi.Timeout {
		t.Error(err)
	}
}
