package commander_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/models/modelstest"
)

// An answer ends at its limit, between two words.
func TestMaxTokens(t *testing.T) {
	t.Parallel()
	req := models.Request{Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "hello"}}}}}
	whole, err := modelstest.Collect(commander.Model{}.Stream(t.Context(), req))
	if err != nil || whole.End != models.Stop {
		t.Fatalf("%+v %v", whole, err)
	}
	for _, most := range []int{1, 2, 20, models.EstimateText(whole.Text) - 1} {
		req.MaxTokens = most
		got, err := modelstest.Collect(commander.Model{}.Stream(t.Context(), req))
		if err != nil || got.End != models.Length || models.EstimateText(got.Text) > most || !strings.HasPrefix(whole.Text, got.Text) || got.Text == whole.Text {
			t.Errorf("%d: %+v %v", most, got, err)
		}
	}
	req.MaxTokens = models.EstimateText(whole.Text)
	if got, err := modelstest.Collect(commander.Model{}.Stream(t.Context(), req)); err != nil || got.End != models.Stop || got.Text != whole.Text {
		t.Errorf("%+v %v", got, err)
	}
}
