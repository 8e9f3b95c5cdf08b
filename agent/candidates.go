package agent

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
)

// maxListed is the maximum number of candidates in the text of an error.
const maxListed = 10

// WithCandidates moves the candidates of a fault into its message, for a reader who sees only the
// message, such as a model: each has a numbered line with its click point. It returns other errors
// unchanged.
func WithCandidates(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Details.ResolverPayload == nil || len(f.Details.ResolverPayload.Candidates) == 0 {
		return err
	}
	var b strings.Builder
	b.WriteString(f.Message)
	list := f.Details.ResolverPayload.Candidates
	for i, c := range list[:min(len(list), maxListed)] {
		fmt.Fprintf(&b, "\n%d %s at %d,%d", i+1, cmp.Or(c.Line, strconv.Quote(c.Text)), c.Center.X, c.Center.Y)
	}
	listed := *f
	listed.Message, listed.Details.ResolverPayload = b.String(), nil
	return &listed
}
