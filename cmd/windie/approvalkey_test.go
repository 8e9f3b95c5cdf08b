package main

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
)

// A folder's key is made once, for its owner alone, whoever starts first.
func TestApprovalKeyIsOne(t *testing.T) {
	t.Parallel()
	c := &config{Mode: localMode, DataDir: t.TempDir()}
	var all sync.WaitGroup
	keys, errs := make([]string, 20), make([]error, 20)
	for i := range keys {
		all.Go(func() { keys[i], errs[i] = c.approvalKey(slog.New(slog.DiscardHandler)) })
	}
	all.Wait()
	for i := range keys {
		if errs[i] != nil || len(keys[i]) != 64 || keys[i] != keys[0] {
			t.Fatalf("process %d has the key %q, %v; the first has %q", i, keys[i], errs[i], keys[0])
		}
	}
	info, err := os.Stat(c.approvalKeyFile())
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(c.DataDir); err != nil || len(left) != 1 {
		t.Errorf("files besides the key: %v, %v", left, err)
	}
	other := &config{Mode: localMode, DataDir: t.TempDir()}
	if key, err := other.approvalKey(slog.New(slog.DiscardHandler)); err != nil || key == keys[0] {
		t.Errorf("the key of another folder: %q, %v", key, err)
	}
	hosted := &config{Mode: hostedMode, DataDir: t.TempDir()}
	if key, err := hosted.approvalKey(nil); key != "" || err != nil {
		t.Errorf("a hosted gateway has the key %q, %v", key, err)
	}
}

// A key file that others can read, or that holds no valid key, is refused. The
// doctor reports both, and changes nothing.
func TestApprovalKeyIsPrivate(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("0a", 32)
	for name, tt := range map[string]struct {
		content string
		mode    fs.FileMode
		sick    string // what the doctor says; empty: it is well
		refused string // what the start says; empty: it goes on
	}{
		"as it should be": {whole + "\n", 0o600, "", ""},
		"for the group":   {whole, 0o640, "chmod 600", ""},
		"for others":      {whole, 0o604, "chmod 600", ""},
		"empty":           {"", 0o600, "delete the file", "delete the file"},
		"too short":       {whole[2:], 0o600, "delete the file", "delete the file"},
		"no digits":       {strings.Repeat("xy", 32), 0o600, "delete the file", "delete the file"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &config{Mode: localMode, DataDir: t.TempDir()}
			if err := os.WriteFile(c.approvalKeyFile(), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(c.approvalKeyFile(), tt.mode); err != nil {
				t.Fatal(err)
			}
			if fine, err := c.checkApprovalKey(t.Context()); tt.sick == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.sick) {
				t.Errorf("the doctor: %q, %v", fine, err)
			}
			if info, err := os.Stat(c.approvalKeyFile()); err != nil || info.Mode() != tt.mode {
				t.Errorf("the doctor changed it: %v, %v", info.Mode(), err)
			}
			var log bytes.Buffer
			key, err := c.approvalKey(slog.New(slog.NewTextHandler(&log, nil)))
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) || !strings.Contains(err.Error(), c.approvalKeyFile()) {
					t.Errorf("the key is %q, %v", key, err)
				}
				return
			}
			info, statErr := os.Stat(c.approvalKeyFile())
			if err != nil || key != whole || statErr != nil || info.Mode() != 0o600 {
				t.Errorf("the key is %q, %v, in a file of mode %v", key, err, info.Mode())
			}
			if told := strings.Contains(log.String(), c.approvalKeyFile()); told != (tt.mode != 0o600) || strings.Contains(log.String(), whole) {
				t.Errorf("the log: %s", log.String())
			}
		})
	}
	c := &config{Mode: localMode, DataDir: t.TempDir()}
	if fine, err := c.checkApprovalKey(t.Context()); err != nil || !strings.Contains(fine, "creates") {
		t.Errorf("the doctor before the first start: %q, %v", fine, err)
	}
	if _, err := os.Stat(c.approvalKeyFile()); err == nil {
		t.Error("the doctor made a key")
	}
}

// What clients know the gateway by is not for plugins.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"": "", "https://Windie.Example.com": "windie.example.com", "http://windie.example.com.:8443/prefix": "windie.example.com", "http://[2001:db8::1]:80": "2001:db8::1",
	} {
		t.Run(url, func(t *testing.T) {
			if got := strings.Join((&config{PublicURL: url}).ownNames(), " "); got != want {
				t.Errorf("of %q: %q", url, got)
			}
		})
	}
}
