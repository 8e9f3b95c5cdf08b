package agent

import (
	"cmp"
	"errors"
	"fmt"
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

// inMessage replaces references to the details of an error, which a reader of the message alone does not
// have.
var inMessage = strings.NewReplacer(
	", or by its candidate_id", "",
	"details.resolver_payload.candidates contains the ids and the differences", "the list has the differences",
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
	for i, c := range list[:min(len(list), maxListed)] {
		fmt.Fprintf(&b, "\n%d %s at %d,%d", i+1, cmp.Or(c.Line, strconv.Quote(c.Text)), c.Center.X, c.Center.Y)
		if d := c.Distinction; d != nil {
			b.WriteString(distinction(*d))
		}
		if c.Hint != "" {
			b.WriteString("; to choose it, add: " + c.Hint)
		}
	}
	listed := *f
	listed.Message, listed.Details.ResolverPayload = b.String(), nil
	return &listed
}

// distinction returns how a candidate differs from the others, for the end of its line.
func distinction(d sdkapi.Distinction) string {
	text := fmt.Sprintf("; occurrence %d", d.Occurrence)
	if d.Position != "" {
		text += ", " + d.Position
	}
	for _, side := range []struct{ is, of string }{{"left of", d.LeftOf}, {"right of", d.RightOf}, {"above", d.Above}, {"below", d.Below}} {
		if side.of != "" {
			text += fmt.Sprintf(", %s %q", side.is, plain.OneLine(side.of, maxSide))
		}
	}
	return text
}
