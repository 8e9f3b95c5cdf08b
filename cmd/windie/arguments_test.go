package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/test/testkit"
)

// Every command takes as many arguments as its usage line names, so that what it says of wrong ones is true.
func TestUsageLinesNameArguments(t *testing.T) {
	t.Parallel()
	root := rootCommand(nil)
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			walk(below)
		}
		if !c.Runnable() || c.Args == nil {
			return
		}
		takes := placeholders(c)
		needs := len(slices.DeleteFunc(slices.Clone(takes), func(name string) bool { return strings.HasPrefix(name, "[") }))
		for n := range len(takes) + 2 {
			want := n >= needs && (n <= len(takes) || len(takes) > 0 && strings.Contains(takes[len(takes)-1], "..."))
			t.Run(fmt.Sprint(c.CommandPath(), " with ", n), func(t *testing.T) {
				if err := c.Args(c, make([]string, n)); (err == nil) != want {
					t.Errorf("its usage line is %q, and it says %v", c.Use, err)
				}
			})
		}
	}
	walk(root)
}

// A key of the config file that is no setting comes with the setting that may be meant.
func TestMisspeltKeys(t *testing.T) {
	t.Parallel()
	for text, told := range map[string]string{
		"lissten: 127.0.0.1:1":     "lissten in the config file: there is no such setting; did you mean listen?",
		"ocr:\n  langages: eng":    "ocr.langages in the config file: there is no such setting; did you mean ocr.languages?",
		"visionn:\n  model: plain": "visionn in the config file: there is no such setting; did you mean vision?",
		"something_else: 1":        "something_else in the config file: there is no such setting; `windie config` lists them",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := loadWith(t, nil, nil, text); err == nil || !strings.Contains(err.Error(), told) {
				t.Errorf("%v, want %s", err, told)
			}
		})
	}
}

// An address is an IP address or the name of a host.
func TestAddressesToListenOn(t *testing.T) {
	t.Parallel()
	for listen, ok := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, ":1": true, "localhost:1": true, "gateway:1": true, "my_host.example.com.:1": true, "1and1.example:1": true,
		"300.1.1.1:1": false, "1.2.3:1": false, "12:1": false, "a b:1": false, "[::g]:1": false, "http://host:1": false,
	} {
		t.Run(listen, func(t *testing.T) {
			c := &config{Listen: listen, TrustedNetwork: true}
			if err := c.checkListen(); (err == nil) != ok {
				t.Error(err)
			}
		})
	}
}

// A command that is interrupted says so, and ends as shells expect.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out, complaint output
	code := run(ctx, []string{"eval", filepath.Join(testkit.RepoRoot(t), "examples", "click-target")}, []string{"WINDIE_DATA_DIR=" + t.TempDir()}, nil, &out, &complaint)
	if code != 130 || complaint.String() != "windie: interrupted\n" {
		t.Errorf("%d %s", code, complaint.String())
	}
}
