//go:build system

package clients_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// documented is how a conversation went for a client of testdata/documented.
type documented struct {
	Ended    bool
	Answer   string
	Pieces   string
	Heard    []string       // the events
	Runs     map[string]int // by call
	CutAt    any            `json:"cut_at"`    // a number, or the name of the event
	CutAfter string         `json:"cut_after"` // that event; empty where there was none
	Error    string
}

// converses runs a client, which holds a conversation for each cut.
func converses(t *testing.T, client string, args ...string) []documented {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-B", filepath.Join(testkit.RepoRoot(t), "gateway", "testdata", "documented", client)}, args...)...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	var all []documented
	for text := range strings.Lines(string(out)) {
		var d documented
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, d)
	}
	if complaints.Len() > 0 || len(all) == 0 {
		t.Fatalf("%s: %v\n%s", client, err, &complaints)
	}
	return all
}

// cutsOf are the cuts after each event, by its number, and after the first of
// each name: pieces of a text are put together now and then, so that the numbers
// alone may miss one.
func cutsOf(heard []string) string {
	var cuts []string
	for i := range heard {
		cuts = append(cuts, fmt.Sprint(i+1))
	}
	names := slices.Compact(slices.Sorted(slices.Values(heard)))
	return strings.Join(append(cuts, names...), ",")
}

// Check fails unless the conversation ended with the whole answer, and each of
// the three calls was run once.
func (d *documented) Check(t *testing.T, client string) {
	t.Helper()
	at := client + ", not cut"
	if d.CutAfter != "" {
		at = fmt.Sprintf("%s, cut after event %v, %s", client, d.CutAt, d.CutAfter)
	}
	times := slices.Collect(maps.Values(d.Runs))
	switch {
	case !d.Ended:
		t.Errorf("%s: the conversation has no end: %s", at, d.Error)
	case d.Answer != doorstest.SecretaryEnd && (client != "toolhost.py" || d.Answer != d.Pieces): // its document has no last words
		t.Errorf("%s: the answer is %q", at, d.Answer)
	case d.Pieces != doorstest.SecretarySays && (client != "ws.py" || d.CutAfter == ""): // a client that comes back to /ws misses pieces, or hears some again
		t.Errorf("%s: the pieces are %q", at, d.Pieces)
	case !slices.Equal(times, []int{1, 1, 1}):
		t.Errorf("%s: not each of the three calls was run once: %v", at, d.Runs)
	}
}

// documentedWays are clients, and in which ways they come back.
var documentedWays = []string{
	"ws.py", "ws.py --lose", "ws.py --again query", "ws.py --again query --lose",
	"general.py", "general.py --lose", "prompts.py", "prompts.py --lose", "toolhost.py", "toolhost.py --lose",
}

// Clients that were written from the documents alone end each conversation,
// wherever their connection is cut, and run nothing twice.
func TestDocumentedClients(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		testkit.Skip(t, "python3", "your system's package python3")
	}
	for _, hosted := range []bool{false, true} {
		for _, how := range documentedWays {
			t.Run(fmt.Sprintf("%s hosted %v", how, hosted), func(t *testing.T) {
				t.Parallel()
				var ran atomic.Int64
				url, args := doorstest.DocumentedGateway(t, hosted, &ran)
				words := strings.Fields(how)
				client, args := words[0], slices.Concat(words[1:], args, []string{url})
				whole := converses(t, client, args...)[0]
				whole.Check(t, client)
				all := converses(t, client, append(args, "--cut", cutsOf(whole.Heard))...)
				for _, d := range all {
					d.Check(t, client)
					if n, numbered := d.CutAt.(float64); d.CutAfter == "" && (!numbered || len(d.Heard) >= int(n)) {
						t.Errorf("%s was not cut after event %v of %v", client, d.CutAt, d.Heard)
					}
				}
				if want := 3 * int64(1+len(all)); client == "prompts.py" && ran.Load() != want {
					t.Errorf("the gateway ran its tool %d times in %d conversations, not %d", ran.Load(), 1+len(all), want)
				}
			})
		}
	}
}
