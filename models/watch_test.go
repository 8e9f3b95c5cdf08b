package models_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// noted is a watcher that notes what it gets.
type noted struct {
	begun []string
	asked []models.Asked
}

type notedKey struct{}

func (n *noted) Begin(ctx context.Context, provider, model string) context.Context {
	n.begun = append(n.begun, provider+" "+model)
	return context.WithValue(ctx, notedKey{}, len(n.begun))
}

func (n *noted) End(ctx context.Context, a models.Asked) {
	if ctx.Value(notedKey{}) != len(n.begun) {
		panic("End gets another context than that of Begin")
	}
	n.asked = append(n.asked, a)
}

func TestWatch(t *testing.T) {
	t.Parallel()
	n, figures := new(noted), new(models.Figures)
	usage := models.Usage{Input: 3, CacheRead: 1, Output: 2, Reasoning: 1}
	model := models.Watch(modelstest.NewScript(
		modelstest.Reply{Text: []string{"one ", "two"}, Usage: usage},
		modelstest.Reply{Text: []string{"one"}, Err: fault.New("test", sdkapi.ModelUnavailable, "away")},
		modelstest.Reply{Text: []string{"one ", "two"}, Usage: usage},
	), "test", n, figures)
	req := models.Request{Model: "m", Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "count"}}}}}
	for range 2 {
		for _, err := range model.Stream(t.Context(), req) {
			if err != nil {
				break
			}
		}
	}
	for _, err := range model.Stream(t.Context(), req) {
		if err != nil {
			t.Error(err)
		}
		break // the caller leaves
	}
	if len(n.asked) != 3 || !slices.Equal(n.begun, []string{"test m", "test m", "test m"}) {
		t.Fatalf("begun %v, ended %+v", n.begun, n.asked)
	}
	whole, failed, left := n.asked[0], n.asked[1], n.asked[2]
	if whole.Err != nil || whole.Usage != usage || whole.First <= 0 || whole.Took < whole.First {
		t.Errorf("a whole answer is %+v", whole)
	}
	if fault.CodeOf(failed.Err) != sdkapi.ModelUnavailable || failed.Usage != (models.Usage{}) {
		t.Errorf("a failed answer is %+v", failed)
	}
	if left.Err != nil || left.Usage != (models.Usage{}) || left.First <= 0 {
		t.Errorf("an answer that the caller left is %+v", left)
	}
	list := figures.List()
	if len(list) != 1 || list[0].Provider != "test" || list[0].Model != "m" || list[0].Took.Count != 3 || list[0].Usage != usage ||
		list[0].Outcomes["OK"] != 2 || list[0].Outcomes[string(sdkapi.ModelUnavailable)] != 1 {
		t.Errorf("figures are %+v", list)
	}
}

// Models beyond the bound share figures, so that no number of names takes more memory.
func TestFiguresAreBounded(t *testing.T) {
	t.Parallel()
	figures := new(models.Figures)
	for i := range 250 {
		figures.End(t.Context(), models.Asked{Provider: "p", Model: string(rune('a' + i)), Err: errors.New("broken")})
	}
	list := figures.List()
	others := slices.IndexFunc(list, func(m models.ModelFigures) bool { return m.Model == "other" })
	if len(list) != 201 || others < 0 || list[others].Took.Count != 50 || list[others].Outcomes[string(sdkapi.Internal)] != 50 {
		t.Errorf("%d models have figures, and the others %+v", len(list), list[max(0, others)])
	}
}
