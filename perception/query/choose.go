package query

import (
	"context"
	"strings"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/vlm"
)

// chosenScore is the score of an element that a model without eyes chose.
const chosenScore = 0.7

// choose asks a model without eyes to choose among the elements that a description may mean, because
// rules did not find exactly one. "None" is a valid answer; an error means that the model failed.
func (f *Finder) choose(ctx context.Context, on *View, description string, byRules locate.Answer) (Answer, error) {
	turn, err := f.asking.Take(ctx, on.source.User, 1, fair.Short)
	if err != nil {
		return Answer{}, err
	}
	defer turn.Give()
	list := locate.Shortlist(on.Screen, description, byRules, vlm.MaxChoices)
	listed := make([]int, len(list))
	for n, m := range list {
		listed[n] = m.Element
	}
	one, err := f.model.Choose(ctx, strings.TrimSpace(description), on.Lines().Among(listed))
	f.count(err)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Provider: one.Model}
	if one.Index < 0 {
		answer.Said, answer.Unmet, answer.Nearest = one.Said, []string{description}, nearest(byRules)
		return answer, nil
	}
	m := list[one.Index]
	m.Score, m.Evidence = chosenScore, []locate.Evidence{{Term: description, Met: chosenScore, By: "chosen by " + one.Model}}
	answer.Matches = []locate.Match{m}
	return answer, nil
}
