//go:build system

package restarts_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A prompt that a gateway died over before it was listed is listed by the gateway
// that takes it up.
func TestPromptIsListedBehindACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, kill := spawn(t, dir)
	l := doorstest.Prompted(t, url, `{"input":"What is here?"}`)
	l.Asked(url)
	kill()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("DELETE FROM prompts").Exec(ctx)
		return err
	})
	_ = db.Close()
	if err != nil {
		t.Fatal(err)
	}
	url, _ = spawn(t, dir)
	testkit.Eventually(t, "the prompt is listed again", func() (any, bool) {
		found := doorstest.Listed[sdkapi.PromptList](t, url+sdkapi.PromptsPath, "ada").Prompts
		return found, len(found) == 1 && found[0].ID == l.Prompt && found[0].Input == "What is here?"
	})
}
