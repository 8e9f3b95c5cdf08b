//go:build system

package lstm

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// Given the same strips, Tesseract reads no more of them exactly: it has the
// same network, a search among its scores, and a dictionary.
func TestReadsNoWorseThanTesseract(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("tesseract")
	if err != nil {
		testkit.Skip(t, "the program tesseract", "make deps-system")
	}
	m := english(t)
	lines := screenLines(t, m.Height())
	if len(lines) < 300 {
		t.Fatalf("%d lines are too few to tell", len(lines))
	}
	strips := make([]Strip, len(lines))
	for i, l := range lines {
		strips[i] = l.strip
	}
	readings, err := m.Read(t.Context(), strips)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := 0, 0
	for i, page := range tesseractPages(t, program, strips, m.Height()) {
		want := plain(lines[i].text)
		if plain(readings[i].text()) == want {
			ours++
		}
		if plain(page) == want {
			theirs++
		}
	}
	t.Logf("of %d lines, we read %d exactly, tesseract %d", len(lines), ours, theirs)
	if ours < theirs {
		t.Errorf("of %d lines, we read %d exactly, tesseract %d", len(lines), ours, theirs)
	}
}

// plain returns text with single spaces and the quotes and dashes of a
// typewriter: the network has those of print.
func plain(text string) string {
	text = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "—", "-", "–", "-").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

// tesseractPages returns what one process of the program reads from each strip.
func tesseractPages(t *testing.T, program string, strips []Strip, height int) []string {
	t.Helper()
	dir := t.TempDir()
	var names strings.Builder
	for i, s := range strips {
		name := filepath.Join(dir, fmt.Sprintf("%d.png", i))
		fmt.Fprintln(&names, name)
		writePNG(t, name, &image.Gray{Pix: s.Pix, Stride: s.Width, Rect: image.Rect(0, 0, s.Width, height)})
	}
	list := filepath.Join(dir, "list.txt")
	if err := os.WriteFile(list, []byte(names.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, list, "stdout", "--psm", "7", "--dpi", "70")
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	if folder := os.Getenv("WINDIE_TESSDATA"); folder != "" {
		cmd.Args = append(cmd.Args, "--tessdata-dir", folder)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tesseract: %v", err)
	}
	pages := strings.Split(strings.TrimSuffix(string(out), "\f"), "\f")
	if len(pages) != len(strips) {
		t.Fatalf("tesseract wrote %d pages for %d strips", len(pages), len(strips))
	}
	return pages
}

func writePNG(t *testing.T, name string, picture image.Image) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, picture); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
