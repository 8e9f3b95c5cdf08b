package reader

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/convnet"
	"github.com/windieos/windie/sdkapi"
)

// folderOf returns a folder of data files: links to the English network, and files with the given
// content.
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

// TestLanguages checks that the error of an unusable language names the missing file and says how
// to get it. A wrong language must be the caller's error; a missing network must not.
func TestLanguages(t *testing.T) {
	t.Parallel()
	whole := folderOf(t, []string{"jpn", "chi_sim"}, map[string]string{"osd.traineddata": "", "equ.traineddata": "", "kor.traineddata": "cut short", "note.txt": ""})
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
		{"two", whole, "", "eng+jpn", "", ""},
		{"own, two", whole, "jpn+eng", "", "", ""},
		{"unknown", whole, "", "tlh", sdkapi.ValidationError, `install the package tesseract-ocr-tlh, or put tlh.traineddata (of the fast kind) where WINDIE_TESSDATA points`},
		{"one of two unknown", whole, "", "eng+chi_tra", sdkapi.ValidationError, "tesseract-ocr-chi-tra"},
		{"no language at all", whole, "", "osd", sdkapi.ValidationError, `does not have the language "osd"`},
		{"a path", whole, "", "../eng", sdkapi.ValidationError, `does not have the language "../eng"`},
		{"a path to a file", whole, "", "/etc/passwd", sdkapi.ValidationError, `does not have the language "/etc/passwd"`},
		{"a pattern", whole, "", "e*", sdkapi.ValidationError, `does not have the language "e*"`},
		{"an empty one", whole, "", "eng+", sdkapi.ValidationError, `does not have the language ""`},
		{"damaged", whole, "", "kor", sdkapi.OCRUnavailable, filepath.Join(whole, "kor.traineddata") + " is unusable ("},
		{"own, damaged", whole, "kor", "", sdkapi.OCRUnavailable, "install the package tesseract-ocr-kor"},
		{"English without a file", empty, "", "eng", "", ""},
		{"own English without a file", empty, "", "", "", ""},
		{"another language without a file", empty, "", "jpn", sdkapi.ValidationError, `does not have the language "jpn"`},
		{"own, missing", empty, "jpn", "", sdkapi.OCRUnavailable, "jpn.traineddata was not found in " + empty + ": install the package tesseract-ocr-jpn, or put jpn.traineddata"},
		{"own, one of two missing", whole, "eng+ara", "", sdkapi.OCRUnavailable, "ara.traineddata was not found in " + whole},
		{"own, a path", filepath.Join(whole, "below"), "../jpn", "", sdkapi.OCRUnavailable, "../jpn.traineddata was not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := New(Config{Languages: tt.own, DataDir: tt.dir})
			_, err := e.Read(t.Context(), perception.ScreenOf(image.NewNRGBA(image.Rect(0, 0, 20, 20))), sdkapi.Reading{Languages: tt.languages})
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

// alphabets has the letters of languages that English lacks.
var alphabets = map[string]string{
	"afr": "êëïôû", "bel": "абвгдеёжзійклмнопрстуўфхцчшыьэюя", "bos": "čćđšž", "bul": "абвгдежзийклмнопрстуфхцчшщъьюя", "cat": "àçèéíïòóúü·",
	"ces": "áčďéěíňóřšťúůýž", "cym": "âêîôûŵŷ", "dan": "æøå", "deu": "äöüßẞ", "ell": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", "eng": "",
	"est": "äõöüšž", "eus": "ñç", "fao": "áðíóúýæø", "fin": "äöåšž", "fra": "àâæçéèêëîïôœùûüÿ", "fry": "âêéôû", "gla": "àèìòù", "gle": "áéíóú",
	"glg": "áéíñóúü", "hrv": "čćđšž", "hun": "áéíóöőúüű", "ind": "", "isl": "áðéíóúýþæö", "ita": "àèéìòù", "lav": "āčēģīķļņšūž", "lit": "ąčęėįšųūž",
	"ltz": "äéë", "mlt": "ċġħż", "msa": "", "nld": "éëïóö", "nor": "æøåéò", "oci": "àçèéíòóú", "pol": "ąćęłńóśźż", "por": "àáâãçéêíóôõú",
	"ron": "ăâîșț", "rus": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "slk": "áäčďéíĺľňóôŕšťúýž", "slv": "čšž", "spa": "áéíñóúü¿¡", "sqi": "çë",
	"srp": "абвгдђежзијклљмнњопрстћуфхцчџш", "srp_latn": "čćđšž", "swa": "", "swe": "äöåé", "tur": "çğıöşüİ", "ukr": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
}

// TestOwnLanguages checks that Windie's own network has all letters of each language in
// ownLanguages.
func TestOwnLanguages(t *testing.T) {
	t.Parallel()
	model, err := convnet.Load(own)
	if err != nil {
		t.Fatal(err)
	}
	letters := model.Letters()
	for _, lang := range ownLanguages {
		t.Run(lang, func(t *testing.T) {
			alphabet, ok := alphabets[lang]
			if !ok {
				t.Fatal("this test has no alphabet of it")
			}
			for _, r := range alphabet + strings.ToUpper(strings.Trim(alphabet, "ΐΰϋ")) {
				if !strings.ContainsRune(letters, r) {
					t.Errorf("%c is not among its letters", r)
				}
			}
		})
	}
}

// TestOwnNetwork checks that the languages of Windie's own network need no file, and that other
// languages need theirs.
func TestOwnNetwork(t *testing.T) {
	t.Parallel()
	empty, damaged := t.TempDir(), folderOf(t, []string{"jpn"}, map[string]string{"deu.traineddata": "cut short", "chi_sim.traineddata": "cut short"})
	for _, tt := range []struct {
		name, dir, languages string
		networks             int
		complaint            string
	}{
		{"English", empty, "eng", 1, ""},
		{"three", empty, "deu+rus+eng", 1, ""},
		{"a file that is not needed", damaged, "deu", 1, ""},
		{"one with a file", damaged, "eng+jpn", 2, ""},
		{"a damaged file", damaged, "eng+chi_sim", 0, "chi_sim.traineddata is unusable ("},
		{"no file", empty, "eng+chi_sim", 0, "install the package tesseract-ocr-chi-sim"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &New(Config{DataDir: tt.dir}).models
			networks, err := m.load(tt.languages)
			if len(networks) != tt.networks || tt.complaint == "" && err != nil || tt.complaint != "" && !strings.Contains(err.Error(), tt.complaint) {
				t.Errorf("%d networks, %v", len(networks), err)
			}
		})
	}
}

// TestNetworksAreLoadedOnce checks that a network that is installed while the gateway runs is
// found, and that a loaded network is not loaded again.
func TestNetworksAreLoadedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := New(Config{DataDir: dir, Languages: "jpn"})
	if err := e.Ready(t.Context()); err == nil {
		t.Fatal("it is ready without a network")
	}
	file := filepath.Join(dir, "jpn.traineddata")
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
	if name := e.Name(); !strings.HasPrefix(name, "windie ") || !strings.HasSuffix(name, " (jpn)") {
		t.Errorf("its name is %q", name)
	}
}
