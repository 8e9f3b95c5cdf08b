package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// The command lists what a gateway that runs has recorded, and goes on with
// what it records.
func TestAuditCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := serveForTest(t, "WINDIE_DATA_DIR="+dir)
	invoke := func(user, tool string) {
		client, err := sdk.New(url, sdk.WithUser(user), sdk.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = client.Tools.Invoke(t.Context(), tool, nil) // there is no such tool
	}
	for n := range 5 {
		invoke("ada", fmt.Sprint("no.tool", n))
	}
	invoke("eve", "no.other")
	list := func(args ...string) string {
		code, stdout, stderr := windie(t, nil, append([]string{"audit", "--data-dir", dir}, args...)...)
		if code != 0 {
			t.Fatalf("%v: %d %s", args, code, stderr)
		}
		return stdout
	}
	testkit.Eventually(t, "the last call is recorded", func() (string, bool) {
		said := list()
		return said, strings.Contains(said, "no.other")
	})
	for _, tt := range []struct {
		args []string
		want []string
		not  string
	}{
		{nil, []string{"no.tool0", "no.tool4", "no.other", "refused TOOL_NOT_FOUND"}, "no.tool5"},
		{[]string{"--user", "eve"}, []string{"no.other"}, "ada"}, {[]string{"--tool", "no.tool2"}, []string{"no.tool2"}, "no.tool3"},
		{[]string{"--limit", "2"}, []string{"no.tool4", "no.other"}, "no.tool3"}, {[]string{"--since", "1h"}, []string{"no.tool0"}, "no.tool5"},
		{[]string{"--since", "1us"}, []string{"TIME"}, "no."},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			got := list(tt.args...)
			at := 0
			for _, want := range tt.want { // in this order
				i := strings.Index(got[at:], want)
				if i < 0 {
					t.Errorf("%v: %s is not there, or out of order:\n%s", tt.args, want, got)
					break
				}
				at += i
			}
			if strings.Contains(got, tt.not) {
				t.Errorf("%v: %s is there:\n%s", tt.args, tt.not, got)
			}
		})
	}
	var r sdkapi.AuditRecord
	if err := json.Unmarshal([]byte(list("--json", "--user", "eve")), &r); err != nil || r.UserID != "eve" || r.Protocol != "http" || r.Digest == "" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, wrong := range [][]string{{"--limit", "0"}, {"--since", "-1s"}} {
		if code, _, stderr := windie(t, nil, append([]string{"audit", "--data-dir", dir}, wrong...)...); code != exitUsage || !strings.Contains(stderr, wrong[0]+": must be") {
			t.Errorf("%v: %d %s", wrong, code, stderr)
		}
	}
	follow(t, dir, func() { invoke("bob", "no.more") })
}

// follow has records of bob's printed as they come, each once.
func follow(t *testing.T, dir string, more func()) {
	db, err := database.Open(t.Context(), database.Config{File: dir + "/windie.db"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out lockedText
	ended := make(chan error, 1)
	asked := auditAsked{follow: true}
	asked.Limit, asked.User = 10, "bob"
	go func() { ended <- asked.run(ctx, db, &out) }()
	testkit.Eventually(t, "two records more are printed", func() (string, bool) {
		more()
		said := out.String()
		return said, strings.Count(said, "no.more") >= 2
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	page, err := asked.made(t, db)
	if err != nil || len(lines) < 3 || len(lines)-1 > page {
		t.Errorf("%d lines of %d records, %v:\n%s", len(lines)-1, page, err, out.String())
	}
}

// made counts all records that there are by now.
func (a auditAsked) made(t *testing.T, db *database.DB) (int, error) {
	a.Limit = 1000
	records, err := audit.Last(t.Context(), db, a.Query)
	return len(records), err
}

// lockedText is what somebody writes while it is read.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
