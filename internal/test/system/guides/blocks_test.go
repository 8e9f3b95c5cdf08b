//go:build system

package guides_test

import (
	"os"
	"path/filepath"
	"regexp"
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

// guideBlock is a block of code of a guide.
type guideBlock struct {
	heading  string // it is under
	label    string // the line before it
	language string
	text     string
}

var blockPattern = regexp.MustCompile("(?ms)^#+ ([^\n]*)$|(?:^([^\n]*)\n)?^```(\\w*)\n(.*?)^```$")
