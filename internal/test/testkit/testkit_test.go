package testkit_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/test/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder notes how a test ended instead of ending it.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()                          {}
func (r *recorder) Skipf(format string, args ...any) { r.skipped = fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	panic(r)
}

func TestSkip(t *testing.T) {
	for _, strict := range []string{"", "1"} {
		t.Setenv("WINDIE_TEST_STRICT", strict)
		r := &recorder{TB: t}
		func() {
			defer func() { _ = recover() }() // as Fatalf ends a test
			testkit.Skip(r, "the moon", "look up")
		}()
		said := r.skipped
		if strict == "1" {
			said = r.failed
		}
		if !strings.Contains(said, "the moon") || !strings.Contains(said, "look up") || (r.failed != "") != (strict == "1") {
			t.Errorf("strict %q: skipped with %q, failed with %q", strict, r.skipped, r.failed)
		}
	}
}

func TestRepoRoot(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module github.com/windieos/windie\n") {
		t.Errorf("go.mod in the root: %.40q, %v", text, err)
	}
}

// TestS3EndsWithItsTest starts a server in a subtest and looks for it after.
func TestS3EndsWithItsTest(t *testing.T) {
	var server testkit.S3Server
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t.Run("running", func(t *testing.T) {
		server = testkit.S3(t)
		resp, err := client.Get(server.Endpoint + "/" + server.Bucket)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden { // the bucket is there, and not for all
			t.Errorf("a request without keys is answered with %s", resp.Status)
		}
	})
	if server.Endpoint == "" {
		testkit.Skip(t, "the program versitygw", "make deps") // as the subtest was
	}
	if resp, err := client.Get(server.Endpoint); err == nil {
		_ = resp.Body.Close()
		t.Errorf("after the test the server still answers, with %s", resp.Status)
	}
}
