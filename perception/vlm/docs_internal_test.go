package vlm

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestTheGuide keeps docs/screens.md true: it has every family beside what its
// numbers mean, and the limits.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/screens.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	meaning := map[Space]string{Pixels: "pixels", Thousandths: "thousandths", Ratio: "fractions", Percent: "per cent"}
	for _, f := range append([]family{plain}, families...) {
		row := ""
		for line := range strings.Lines(guide) {
			if strings.HasPrefix(line, "| `") && strings.Contains(strings.SplitN(line, "|", 3)[1], "`"+f.name+"`") {
				row = line
			}
		}
		if !strings.Contains(row, "| "+meaning[f.space]) && (f.space != Pixels || !strings.Contains(row, "| the same |")) {
			t.Errorf("%s, which counts in %s, has the row %q", f.name, f.space, row)
		}
		if f.yx != strings.Contains(row, "the height first") {
			t.Errorf("%s: %q", f.name, row)
		}
	}
	for _, limit := range []string{
		"1,000 bytes", "2,048 tokens, " + strconv.Itoa(maxAnswer>>10) + " KiB", strconv.Itoa(int(DefaultTimeout.Seconds())) + " seconds", "three times",
	} {
		if !strings.Contains(guide, limit) {
			t.Errorf("lacks %s", limit)
		}
	}
	if MaxDescription != 1000 || maxTokens != 2048 || maxAttempts != 3 {
		t.Error("the limits changed: write so in the guide")
	}
}
