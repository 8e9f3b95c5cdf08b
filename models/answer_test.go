package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer collects what produce puts into an answer that ends.
func answer(ctx context.Context, req models.Request, produce func(*models.Answer) error) (modelstest.Answer, error) {
	return modelstest.Collect(models.Scripted(ctx, "test", req, func(_ context.Context, a *models.Answer) error {
		a.End(models.Stop)
		return produce(a)
	}))
}

// at returns a number, as pieces of calls have it.
func at(n int) *int { return &n }

func TestCallsAreGathered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		pieces []models.CallPiece
		want   string // "id name arguments"; the first id that is made has the number 1, as there was a call before
	}{
		{"in pieces", []models.CallPiece{{Index: at(0), ID: "a", Name: "f"}, {Index: at(0), Arguments: `{"x"`}, {Index: at(0), Arguments: `:1}`}}, `a f {"x":1}`},
		{"mixed", []models.CallPiece{{Index: at(0), ID: "a", Name: "f"}, {Index: at(1), ID: "b", Name: "g"}, {Index: at(0), Arguments: `{"x":1}`}, {Index: at(1), Arguments: `{"y":1}`}}, `a f {"x":1}; b g {"y":1}`},
		{"out of order", []models.CallPiece{{Index: at(7), ID: "b", Name: "g"}, {Index: at(2), ID: "a", Name: "f"}}, `a f {}; b g {}`},
		{"without numbers", []models.CallPiece{{ID: "a", Name: "f", Arguments: `{"x":`}, {Arguments: `1}`}, {ID: "b", Name: "f"}}, `a f {"x":1}; b f {}`},
		{"without numbers, by id", []models.CallPiece{{ID: "a", Name: "f"}, {ID: "b", Name: "g"}, {ID: "a", Arguments: `{"x":1}`}}, `a f {"x":1}; b g {}`},
		{"without ids", []models.CallPiece{{Index: at(0), Name: "f"}, {Index: at(1), Name: "f"}}, `tool_call_1 f {}; tool_call_2 f {}`},
		{"without numbers and ids", []models.CallPiece{{Name: "f", Arguments: `{}`}, {Name: "f", Arguments: `{"x":1}`}}, `tool_call_1 f {}; tool_call_2 f {"x":1}`},
		{"all number 0", []models.CallPiece{{Index: at(0), ID: "a", Name: "f", Arguments: `{"x":1}`}, {Index: at(0), ID: "b", Name: "f", Arguments: `{"x":2}`}}, `a f {"x":1}; b f {"x":2}`},
		{"all number 0, without ids", []models.CallPiece{{Index: at(0), Name: "f", Arguments: `{"x":1}`}, {Index: at(0), Name: "f", Arguments: `{"x":2}`}}, `tool_call_1 f {"x":1}; tool_call_2 f {"x":2}`},
		{"the id with every piece", []models.CallPiece{{Index: at(0), ID: "a", Name: "f", Arguments: `{"x"`}, {Index: at(0), ID: "a", Name: "f", Arguments: `:1}`}}, `a f {"x":1}`},
		{"the id late", []models.CallPiece{{Index: at(0), Name: "f"}, {Index: at(0), ID: "a", Arguments: `{}`}}, `a f {}`},
		{"one id twice", []models.CallPiece{{Index: at(0), ID: "a", Name: "f"}, {Index: at(1), ID: "a", Name: "g"}}, `a f {}; tool_call_2 g {}`},
		{"an id of before", []models.CallPiece{{Index: at(0), ID: "old", Name: "f"}}, `tool_call_1 f {}`},
		{"null", []models.CallPiece{{ID: "a", Name: "f", Arguments: "null"}}, `a f {}`},
		{"spaces", []models.CallPiece{{ID: "a", Name: "f", Arguments: " \n"}}, `a f {}`},
		{"an object in a string", []models.CallPiece{{ID: "a", Name: "f", Arguments: `"{\"x\":1}"`}}, `a f {"x":1}`},
		{"half an object", []models.CallPiece{{ID: "a", Name: "f", Arguments: `{"x":`}}, `a f {"$invalid_arguments":"{\"x\":"}`},
		{"a list", []models.CallPiece{{ID: "a", Name: "f", Arguments: `[1]`}}, `a f {"$invalid_arguments":"[1]"}`},
		{"prose", []models.CallPiece{{ID: "a", Name: "f", Arguments: `I think`}}, `a f {"$invalid_arguments":"I think"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := models.Request{Messages: []models.Message{{Role: models.Assistant, Parts: []models.Part{{Call: &models.Call{ID: "old"}}}}}}
			got, err := answer(t.Context(), req, func(a *models.Answer) error {
				for _, p := range tt.pieces {
					if err := a.Call(p); err != nil {
						return err
					}
				}
				return nil
			})
			var said []string
			for _, c := range got.Calls {
				said = append(said, fmt.Sprintf("%s %s %s", c.ID, c.Name, c.Arguments))
			}
			if s := strings.Join(said, "; "); err != nil || s != tt.want || got.End != models.ToolCalls {
				t.Errorf("%s: %s, %s, %v", tt.name, s, got.End, err)
			}
		})
	}
}

func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"$invalid_arguments":"{\"x\":"}`:       `{"x":`,
		`{"$invalid_arguments":"a","b":1}`:       "",
		`{"$invalid_arguments":1}`:               "",
		`{"text":"$invalid_arguments"}`:          "",
		`{"a":{"$invalid_arguments":"nothing"}}`: "",
		`{}`:                                     "",
	} {
		t.Run(arguments, func(t *testing.T) {
			if got, invalid := (models.Call{Arguments: json.RawMessage(arguments)}).Invalid(); got != want || invalid != (want != "") {
				t.Errorf("%s: %q, %v", arguments, got, invalid)
			}
		})
	}
}

// TestLimits goes to each limit and one beyond.
func TestLimits(t *testing.T) {
	t.Parallel()
	twice := func(add func(*models.Answer, string) error) func(*models.Answer, int) error {
		return func(a *models.Answer, size int) error {
			if err := add(a, strings.Repeat("a", size/2)); err != nil {
				return err
			}
			return add(a, strings.Repeat("a", size-size/2))
		}
	}
	for _, tt := range []struct {
		name  string
		limit int
		add   func(a *models.Answer, size int) error
	}{
		{"text", models.MaxText, twice((*models.Answer).Text)},
		{"thought", models.MaxThought, twice((*models.Answer).Think)},
		{"signature", models.MaxThought, twice((*models.Answer).EndThought)},
		{"arguments", models.MaxArguments, twice(func(a *models.Answer, s string) error { return a.Call(models.CallPiece{Index: at(0), Arguments: s}) })},
		{"calls", models.MaxCalls, func(a *models.Answer, size int) error {
			for i := range size {
				if err := a.Call(models.CallPiece{Index: &i, Name: "f"}); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for more, code := range map[int]sdkapi.Code{0: "", 1: sdkapi.ModelError} {
				t.Run(fmt.Sprint(more), func(t *testing.T) {
					_, err := answer(t.Context(), hello, func(a *models.Answer) error { return tt.add(a, tt.limit+more) })
					if fault.CodeOf(err) != code {
						t.Errorf("%s, %d over: %v", tt.name, more, err)
					}
				})
			}
		})
	}
}

func TestAnAnswerIsInOrder(t *testing.T) {
	t.Parallel()
	got, err := answer(t.Context(), hello, func(a *models.Answer) error {
		a.Used(models.Usage{Input: 1})
		return errors.Join(a.Call(models.CallPiece{Name: "f"}), a.Think("x"), a.Text(""), a.Text("y"), a.Think("z"))
	})
	want := []models.EventKind{models.Thinking, models.ThoughtEnd, models.Text, models.Thinking, models.ThoughtEnd, models.ToolCall, models.UsageKnown, models.End}
	if err != nil || !reflect.DeepEqual(got.Events, want) {
		t.Errorf("%v, %v", got.Events, err)
	}
	if _, err := modelstest.Collect(models.Scripted(t.Context(), "test", hello, func(context.Context, *models.Answer) error { return nil })); fault.CodeOf(err) != sdkapi.ModelUnavailable {
		t.Errorf("an answer without an end: %v", err)
	}
	got, err = answer(t.Context(), hello, func(a *models.Answer) error { a.End(models.ToolCalls); return nil })
	if err != nil || got.End != models.Stop {
		t.Errorf("calls that are not there: %v, %v", got.End, err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	u := models.Usage{Input: 1, CacheRead: 2, CacheWrite: 4, Output: 8, Reasoning: 16}
	if u.Prompt() != 7 || u.Total() != 31 || u.Add(models.Usage{Output: 1, Estimated: true}) != (models.Usage{Input: 1, CacheRead: 2, CacheWrite: 4, Output: 9, Reasoning: 16, Estimated: true}) {
		t.Error(u.Prompt(), u.Total())
	}
}
