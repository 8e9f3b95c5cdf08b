package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// A reader of the message alone sees each candidate with its click point.
func TestWithCandidates(t *testing.T) {
	t.Parallel()
	f := fault.New("test", sdkapi.AmbiguousMatch, "several match")
	f.Details.ResolverPayload = &sdkapi.ResolverPayload{Candidates: []sdkapi.Target{
		{Line: `button "Save", top`, Row: sdkapi.Row{Text: "Save", Center: sdkapi.Point{X: 3, Y: 4}}}, {Row: sdkapi.Row{Text: "Save as", Center: sdkapi.Point{X: 5, Y: 6}}},
	}}
	got := fault.From(agent.WithCandidates(f))
	if want := "several match\n1 at 3,4 button \"Save\", top\n2 at 5,6 \"Save as\""; got.Message != want || got.Code != sdkapi.AmbiguousMatch || got.Details.ResolverPayload != nil {
		t.Errorf("%+v", got)
	}
	if f.Message != "several match" || f.Details.ResolverPayload == nil {
		t.Errorf("the fault itself is %+v", f)
	}
	f.Message = "2 rows match; select one with near, region or occurrence, or by its candidate_id; details.resolver_payload.candidates contains the ids and the differences"
	f.Details.ResolverPayload.Unmet = []string{"green"}
	f.Details.ResolverPayload.Candidates[0].Distinction = &sdkapi.Distinction{Occurrence: 2, Position: "top", LeftOf: "Send", RightOf: "Draft", Below: "Subject"}
	f.Details.ResolverPayload.Candidates[1].Hint = "the second"
	if got, want := fault.From(agent.WithCandidates(f)).Message, "2 rows match; take the point of one; unmet: green\n1 at 3,4 button \"Save\", top, left of \"Send\", right of \"Draft\"\n2 at 5,6 \"Save as\""; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	f.Details.ResolverPayload.Unmet = nil
	f.Details.ResolverPayload.Candidates = []sdkapi.Target{
		{Row: sdkapi.Row{Text: "Edit", Center: sdkapi.Point{X: 3, Y: 4}, Distinction: &sdkapi.Distinction{Above: "Rent"}}},
		{Row: sdkapi.Row{Text: "Edit", Center: sdkapi.Point{X: 5, Y: 6}, Distinction: &sdkapi.Distinction{Below: "Rent"}}},
	}
	if got, want := fault.From(agent.WithCandidates(f)).Message, "2 rows match; take the point of one\n1 at 3,4 above \"Rent\"\n2 at 5,6 below \"Rent\""; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	f.Details.ResolverPayload.Candidates = make([]sdkapi.Target, 30)
	if got := fault.From(agent.WithCandidates(f)); strings.Count(got.Message, "\n") != 10 {
		t.Errorf("%d lines", strings.Count(got.Message, "\n"))
	}
	for _, other := range []error{nil, errors.New("x"), fault.New("test", sdkapi.ToolError, "x")} {
		if !errors.Is(agent.WithCandidates(other), other) {
			t.Errorf("%v changed", other)
		}
	}
}
