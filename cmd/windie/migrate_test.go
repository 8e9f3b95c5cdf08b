package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/state/carry"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// TestMigrate carries a data folder to PostgreSQL and a bucket, and reads all there as a gateway.
func TestMigrate(t *testing.T) {
	t.Parallel()
	dir, url, bucket := t.TempDir(), pgtest.Start(t), testkit.S3(t)
	file := filepath.Join(t.TempDir(), "windie.yaml")
	settings := fmt.Sprintf("database_url: %q\ns3: {endpoint: %q, bucket: %q, access_key: %q, secret_key: %q}\n",
		url, bucket.Endpoint, bucket.Bucket, bucket.AccessKey, bucket.SecretKey)
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"migrate", "--config", file}
	s := kept(t, dir)
	if _, err := s.journal.Append(t.Context(), "session/a", journal.Event{Kind: "test"}); err != nil {
		t.Fatal(err)
	}
	put, err := s.artifacts.For("ada").Put(t.Context(), "a.txt", "text/plain", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	if code, _, complaint := windie(t, nil, append(args, "--data-dir", dir)...); code != exitFailed || !strings.Contains(complaint, "stop the gateway first") {
		t.Errorf("beside a gateway: %d %s", code, complaint)
	}
	s.close()
	_ = testkit.Eventually(t, "the lock to be free, which a process holds that another test begins, until it is another program", func() (error, bool) {
		leave, err := database.Alone(filepath.Join(dir, databaseName))
		if err == nil {
			leave()
		}
		return err, err == nil
	})
	for round, copied := range []int64{1, 0} {
		var said migrated
		manage(t, dir, &said, args...)
		if !said.Database || said.Artifacts != 1 || said.Copied != copied || len(said.Damaged) > 0 {
			t.Errorf("round %d: %+v", round, said)
		}
	}
	c := &config{DataDir: dir, DatabaseURL: secret(url)}
	c.S3.Endpoint, c.S3.Bucket, c.S3.AccessKey, c.S3.SecretKey = bucket.Endpoint, bucket.Bucket, bucket.AccessKey, secret(bucket.SecretKey)
	there, err := openState(t.Context(), c, slog.New(slog.DiscardHandler), asMain)
	if err != nil {
		t.Fatal(err)
	}
	defer there.close()
	if events, err := there.journal.Read(t.Context(), "session/a", 0, 10); err != nil || len(events) != 1 {
		t.Errorf("%v, %v", events, err)
	}
	r, info, err := there.artifacts.For("ada").Get(t.Context(), "a.txt", 0, -1)
	if err != nil || info != put {
		t.Fatalf("%+v, want %+v: %v", info, put, err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestHalfMigrated has no gateway start where only a part of the rows is.
func TestHalfMigrated(t *testing.T) {
	t.Parallel()
	dir, url := t.TempDir(), pgtest.Start(t)
	s := kept(t, dir)
	if _, err := s.journal.Append(t.Context(), "session/a", journal.Event{Kind: "test"}); err != nil {
		t.Fatal(err)
	}
	to, err := database.Open(t.Context(), database.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	ctx, cancel := context.WithCancel(t.Context())
	if err := carry.Tables(ctx, s.db, to, func(string, int64, int64) { cancel() }); err == nil {
		t.Fatal("it was not broken off")
	}
	_, err = openState(t.Context(), &config{DataDir: t.TempDir(), DatabaseURL: secret(url)}, slog.New(slog.DiscardHandler), asMain)
	if !strings.Contains(fmt.Sprint(err), "run windie migrate again") {
		t.Errorf("%v", err)
	}
}
