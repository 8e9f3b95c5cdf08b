package locate

import (
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/perception/elements/icons"
)

// Minimum sizes of the lexicon.
const (
	leastConcepts = 800
	leastPhrases  = 5800
)

// The files of concepts are large enough, and each icon that they name exists.
func TestConcepts(t *testing.T) {
	t.Parallel()
	l := lexicons()
	if l.size < leastConcepts || len(l.written) < leastPhrases {
		t.Errorf("%d concepts with %d phrases", l.size, len(l.written))
	}
	files, err := conceptFiles.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := conceptFiles.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
				continue
			}
			parts := strings.Split(strings.TrimSpace(line), "|")
			if len(parts) > 3 || slices.ContainsFunc(strings.Split(parts[0], ","), func(p string) bool { return strings.TrimSpace(p) == "" }) {
				t.Errorf("%s: %q has an empty phrase, or too many parts", file.Name(), line)
			}
			if len(parts) < 3 {
				continue
			}
			for name := range strings.SplitSeq(parts[2], ",") {
				if name = strings.TrimSpace(name); !slices.Contains(icons.Lookup(name), name) {
					t.Errorf("%s: there is no icon %q: %v", file.Name(), name, icons.Lookup(name))
				}
			}
		}
	}
}

// Phrases that people say and phrases that programs write share concepts. A phrase that programs write in another
// language is not one that people say.
func TestSaidAndWritten(t *testing.T) {
	t.Parallel()
	l := lexicons()
	meet := func(said, written string) bool {
		return slices.ContainsFunc(l.said[stems(strings.Fields(said))], func(id int) bool {
			return slices.Contains(l.written[stems(strings.Fields(written))], id)
		})
	}
	for said, written := range map[string]string{
		"keep me logged in": "remember me", "look something up": "rechercher", "make text bold": "fett", "monthly payment": "monatlicher abschlag", "throw away": "удалить",
	} {
		t.Run(said, func(t *testing.T) {
			if !meet(said, written) {
				t.Errorf("%q does not mean %q", said, written)
			}
		})
	}
	if len(l.said["annuler"]) > 0 || len(l.written["annuler"]) == 0 {
		t.Error("annuler is said, or not written")
	}
}
