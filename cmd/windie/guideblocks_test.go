package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

func guideBlocks(t *testing.T, file string) []guideBlock {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "docs", file))
	if err != nil {
		t.Fatal(err)
	}
	var list []guideBlock
	heading := ""
	for _, m := range blockPattern.FindAllStringSubmatch(string(text), -1) {
		if m[1] != "" {
			heading = m[1]
			continue
		}
		list = append(list, guideBlock{heading, m[2], m[3], m[4]})
	}
	return list
}

// sourcesOf returns the texts of all Go files below folders but for tests.
func sourcesOf(t *testing.T, folders ...string) string {
	t.Helper()
	var sources strings.Builder
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(testkit.RepoRoot(t), folder), func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			sources.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sources.String()
}

// guideBlock is a block of code of a guide.
type guideBlock struct {
	heading  string // it is under
	label    string // the line before it
	language string
	text     string
}

var blockPattern = regexp.MustCompile("(?ms)^#+ ([^\n]*)$|(?:^([^\n]*)\n)?^```(\\w*)\n(.*?)^```$")
