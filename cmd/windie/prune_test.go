package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// keptThings opens the state in a folder, with three artifacts and three prompts in it.
func keptThings(t *testing.T, folder string) (*config, *state) {
	t.Helper()
	c, err := loadWith(t, nil, []string{"WINDIE_DATA_DIR=" + folder}, "")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := openState(t.Context(), c, slog.New(slog.DiscardHandler), asMain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kept.close)
	for i := range 3 {
		if _, err := kept.artifacts.Put(t.Context(), fmt.Sprintf("a%d.txt", i), "text/plain", strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := kept.journal.Append(t.Context(), "session/"+session.PromptsOf("ada")+fmt.Sprint("prompt_", i), journal.Event{Kind: "k"}); err != nil {
			t.Fatal(err)
		}
	}
	return c, kept
}

// The command knows all kinds that can be removed by age.
func TestPruneKnowsAllKinds(t *testing.T) {
	t.Parallel()
	_, kept := keptThings(t, t.TempDir())
	var kinds []string
	for _, k := range kept.retention.Kinds() {
		if k.Prunable {
			kinds = append(kinds, k.Name)
		}
	}
	if known := slices.Sorted(slices.Values(prunable)); !slices.Equal(known, slices.Sorted(slices.Values(kinds))) {
		t.Errorf("it knows %v of %v", known, kinds)
	}
}

// awayLog is a journal that does not list the sessions of prompts.
type awayLog struct{ journal.Journal }

func (l awayLog) Streams(ctx context.Context, prefix, after string, limit int) ([]journal.Stream, error) {
	if prefix == "session/"+promptSessions {
		return nil, errors.New("it cannot be read")
	}
	return l.Journal.Streams(ctx, prefix, after, limit)
}

// Where the sessions of prompts cannot be pruned, the lists and the sessions of desktops are.
func TestPrunePassesFailures(t *testing.T) {
	t.Parallel()
	_, kept := keptThings(t, t.TempDir())
	kept.journal = journal.Count(awayLog{kept.journal.Journal})
	list := conversation.Open(kept.journal)
	if _, err := list.Create(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"prompt_x", "conv_x"} {
		kept.prompts.Turned(t.Context(), session.Turned{User: "ada", Session: session.PromptsOf("ada") + part, Seq: 3, Began: time.Unix(1, 0)})
	}
	if _, err := kept.journal.Append(t.Context(), "session/"+session.DesktopOf("ada")+"a", journal.Event{Kind: "k"}); err != nil {
		t.Fatal(err)
	}
	before := time.Unix(1<<33, 0) // after all that there is
	for name, prune := range map[string]func(context.Context, time.Time, bool) (int64, error){"prompts": kept.prunePrompts, "conversations": kept.pruneConversations(list)} {
		t.Run(name, func(t *testing.T) {
			if _, err := prune(t.Context(), before, false); err == nil {
				t.Error("nothing is said of the failure")
			}
		})
	}
	if page, err := kept.prompts.List(t.Context(), promptlist.Query{User: "ada"}); err != nil || len(page.Entries) > 0 {
		t.Errorf("left are the prompts %+v, %v", page.Entries, err)
	}
	if left, err := list.List(t.Context(), "ada", 10, 0); err != nil || len(left) > 0 {
		t.Errorf("left are the conversations %+v, %v", left, err)
	}
	if left, err := kept.journal.Streams(t.Context(), "session/"+desktopSessions, "", 10); err != nil || len(left) > 0 {
		t.Errorf("left are the sessions %+v, %v", left, err)
	}
}

// The command says what it would remove, asks, and removes what is older than the ages, but what
// is marked to be kept. The doctor shows what there is.
func TestPruneCommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, kept := keptThings(t, folder)
	if _, err := kept.artifacts.For("").(artifacts.Lister).Keep(t.Context(), "a1.txt", true); err != nil {
		t.Fatal(err)
	}
	// a question that expires without a call that looks it up
	if _, err := kept.journal.Open(t.Context(), journal.Decision{ID: "q", User: "ada", Kind: "approval", Stream: "session/s", Digest: "d"}); err != nil {
		t.Fatal(err)
	}
	two := (2 * time.Hour).Microseconds()
	for _, statement := range []string{"UPDATE artifacts SET created = created - ? WHERE id <> 'a2.txt'", "UPDATE events SET time = time - ?", "UPDATE decisions SET expires = expires - ?"} {
		if err := kept.db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(statement, two).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	prune := func(input string, args ...string) (code int, out pruned, said string) {
		t.Helper()
		code, stdout, said := windie(t, strings.NewReader(input), append([]string{"prune", "--json", "--data-dir", folder}, args...)...)
		_ = json.Unmarshal([]byte(stdout), &out)
		return code, out, said
	}
	if code, _, said := prune("", "--artifacts", "1m"); code != exitUsage || !strings.Contains(said, "--artifacts: must be at least 1h") {
		t.Errorf("an age of a minute: %d %s", code, said)
	}
	for name, tt := range map[string]struct {
		input string
		args  []string
		code  int
	}{"dry": {"y\n", []string{"--dry-run"}, 0}, "no": {"n\n", nil, exitFailed}, "no answer": {"", nil, exitFailed}} {
		t.Run(name, func(t *testing.T) {
			if code, out, said := prune(tt.input, append(tt.args, "--artifacts", "1h", "--prompts", "1h", "--decisions", "1h")...); code != tt.code || out.Removed || out.Kinds["artifacts"] != 1 || out.Kinds["prompts"] != 3 || out.Kinds["decisions"] != 1 ||
				name != "dry" && !strings.Contains(said, "1 artifacts, 3 prompts, 1 decisions") {
				t.Errorf("%d %+v %s", code, out, said)
			}
		})
	}
	if _, stdout, _ := windie(t, nil, "doctor", "--data-dir", folder); !strings.Contains(stdout, "artifacts: 3 (3 bytes") || !strings.Contains(stdout, "prompts: 3") {
		t.Errorf("the doctor says:\n%s", stdout)
	}
	if code, out, said := prune("y\n", "--artifacts", "1h", "--prompts", "1h", "--decisions", "1h"); code != 0 || !out.Removed || out.Kinds["artifacts"] != 1 || out.Kinds["prompts"] != 3 || out.Kinds["decisions"] != 1 {
		t.Errorf("%d %+v %s", code, out, said)
	}
	for id, want := range map[string]sdkapi.Code{"a0.txt": sdkapi.ArtifactNotFound, "a1.txt": "", "a2.txt": ""} {
		t.Run(id, func(t *testing.T) {
			kept.artifacts.Forget("")
			_, err := kept.artifacts.Stat(t.Context(), id)
			if want == "" && err != nil || want != "" && fault.CodeOf(err) != want {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
	if code, out, _ := prune("", "--yes", "--artifacts", "1h"); code != 0 || out.Kinds["artifacts"] != 0 {
		t.Errorf("again: %d %+v", code, out)
	}
}
