package reader

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/sdkapi"
)

// folderOf makes a folder of data files: of links to the English network, and
// of others with the content given.
func folderOf(t *testing.T, english []string, others map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, lang := range english {
		if err := os.Symlink(testkit.Network(t), filepath.Join(dir, lang+".traineddata")); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range others {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What cannot be read says which file was sought where, and how to get it; a
// wrong language is the caller's mistake, a missing network is not.
func TestLanguages(t *testing.T) {
	t.Parallel()
	whole := folderOf(t, []string{"eng", "deu", "chi_sim"}, map[string]string{"osd.traineddata": "", "equ.traineddata": "", "ita.traineddata": "cut short", "note.txt": ""})
	if err := os.Mkdir(filepath.Join(whole, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, tt := range []struct {
		name, dir, own, languages string
		code                      sdkapi.Code // "" where it reads
		text                      string
	}{
		{"the engine's own", whole, "", "", "", ""},
		{"two", whole, "", "eng+deu", "", ""},
		{"own, two", whole, "deu+eng", "", "", ""},
		{"unknown", whole, "", "tlh", sdkapi.ValidationError, `no language "tlh", only chi_sim, deu, eng, ita: install the package tesseract-ocr-tlh, or put tlh.traineddata (of the fast kind) where WINDIE_TESSDATA points`},
		{"one of two unknown", whole, "", "eng+chi_tra", sdkapi.ValidationError, "tesseract-ocr-chi-tra"},
		{"no language at all", whole, "", "osd", sdkapi.ValidationError, `no language "osd"`},
		{"a path", whole, "", "../eng", sdkapi.ValidationError, `no language "../eng"`},
		{"a path to a file", whole, "", "/etc/passwd", sdkapi.ValidationError, `no language "/etc/passwd"`},
		{"a pattern", whole, "", "e*", sdkapi.ValidationError, `no language "e*"`},
		{"an empty one", whole, "", "eng+", sdkapi.ValidationError, `no language ""`},
		{"damaged", whole, "", "ita", sdkapi.OCRUnavailable, filepath.Join(whole, "ita.traineddata") + " cannot be used ("},
		{"own, damaged", whole, "ita", "", sdkapi.OCRUnavailable, "install the package tesseract-ocr-ita"},
		{"own, missing", empty, "", "", sdkapi.OCRUnavailable, "eng.traineddata was not found in " + empty + ": install the package tesseract-ocr-eng, or put eng.traineddata"},
		{"own, one of two missing", whole, "eng+fra", "", sdkapi.OCRUnavailable, "fra.traineddata was not found in " + whole},
		{"own, a path", filepath.Join(whole, "below"), "../eng", "", sdkapi.OCRUnavailable, "../eng.traineddata was not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := New(Config{Languages: tt.own, DataDir: tt.dir})
			_, err := e.Read(t.Context(), image.NewNRGBA(image.Rect(0, 0, 20, 20)), sdkapi.Reading{Languages: tt.languages})
			if tt.code == "" {
				if err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				return
			}
			if fault.CodeOf(err) != tt.code || !strings.Contains(fault.From(err).Message, tt.text) {
				t.Errorf("%s: %v", tt.name, err)
			}
			ready := e.Ready(t.Context())
			if own := tt.languages == ""; own && (ready == nil || ready.Error() != err.Error()) || !own && ready != nil {
				t.Errorf("%s: Ready says %v, Read %v", tt.name, ready, err)
			}
		})
	}
}

// A network that is put in place while the gateway runs is found, and one that
// was loaded is kept.
func TestNetworksAreLoadedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := New(Config{DataDir: dir})
	if err := e.Ready(t.Context()); err == nil {
		t.Fatal("it is ready without a network")
	}
	file := filepath.Join(dir, "eng.traineddata")
	if err := os.Symlink(testkit.Network(t), file); err != nil {
		t.Fatal(err)
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Errorf("once the file is there: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Errorf("once it was loaded: %v", err)
	}
	if name := e.Name(); !strings.HasPrefix(name, "lstm ") || !strings.HasSuffix(name, " (eng)") {
		t.Errorf("its name is %q", name)
	}
}
