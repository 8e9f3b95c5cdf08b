package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// maxListed is the maximum number of candidates in the text of an error.
const maxListed = 10

// maxSide is the maximum length of a text beside a candidate, in bytes.
const maxSide = 60

// inMessage replaces what a message says about the details of an error, which a reader of the message alone
// does not have. Such a reader needs no second call to choose: the list has the click points.
var inMessage = strings.NewReplacer(
	"; select one with near, region or occurrence, or by its candidate_id; details.resolver_payload.candidates contains the ids and the differences", "; take the point of one",
	"; add detail to the description, or set a region: details.resolver_payload.candidates lists the elements, some with a hint for the description", "; take the point of one",
	"details.resolver_payload.candidates lists", "the list has",
	"details.resolver_payload lists the unmatched terms and the nearest elements", "the list has the nearest elements",
)

// WithCandidates moves the candidates of a fault into its message, for a reader who sees only the
// message, such as a model: each has a numbered line with its click point. It returns other errors
// unchanged.
func WithCandidates(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Details.ResolverPayload == nil || len(f.Details.ResolverPayload.Candidates) == 0 {
		return err
	}
	var b strings.Builder
	b.WriteString(inMessage.Replace(f.Message))
	if unmet := f.Details.ResolverPayload.Unmet; len(unmet) > 0 {
		b.WriteString("; unmet: " + strings.Join(unmet, ", "))
	}
	list := f.Details.ResolverPayload.Candidates
	list = list[:min(len(list), maxListed)]
	alike := !slices.ContainsFunc(list, func(c sdkapi.Target) bool { return c.Line != "" || c.Text != list[0].Text || c.Distinction == nil })
	for i, c := range list {
		var facts []string
		if !alike { // else the message has the text
			facts = append(facts, cmp.Or(c.Line, strconv.Quote(c.Text)))
		}
		if c.Distinction != nil {
			facts = append(facts, neighbors(*c.Distinction)...)
		}
		fmt.Fprintf(&b, "\n%d at %d,%d %s", i+1, c.Center.X, c.Center.Y, strings.Join(facts, ", "))
	}
	listed := *f
	listed.Message, listed.Details.ResolverPayload = b.String(), nil
	return &listed
}

// maxNeighbors is the maximum number of texts beside a candidate that its line names.
const maxNeighbors = 2

// neighbors returns the texts beside a candidate, those in its own row first.
func neighbors(d sdkapi.Distinction) (list []string) {
	for _, side := range []struct{ is, of string }{{"left of", d.LeftOf}, {"right of", d.RightOf}, {"above", d.Above}, {"below", d.Below}} {
		if side.of != "" && len(list) < maxNeighbors {
			list = append(list, fmt.Sprintf("%s %q", side.is, plain.OneLine(side.of, maxSide)))
		}
	}
	return list
}
