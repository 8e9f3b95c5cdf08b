package lstm

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// samples is what the pictures in testdata say, by the language whose name
// they bear. They are as high as that language's model wants.
var samples = map[string]string{
	"eng":     "Could not reach the server",
	"deu":     "Größe über Äpfel und schöne Grüße",
	"fra":     "Élément supprimé",
	"rus":     "Сохранить изменения",
	"chi_sim": "搜索所有文档",
}

// Every model that is installed loads, or the error says that it is of another
// kind; and those with a sample read it.
func TestInstalledModels(t *testing.T) {
	t.Parallel()
	files := modelFiles(t)
	if len(files) == 0 {
		testkit.Skip(t, "a traineddata file", "install tesseract-ocr-eng")
	}
	for language, name := range files {
		t.Run(language, func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Load(data)
			if err != nil {
				// Scripts are distinguished, and equations found, by models of
				// the older engine; those called best have no bytes.
				if !strings.Contains(err.Error(), "the file has no network") && !strings.Contains(err.Error(), "not bytes") {
					t.Error(err)
				}
				return
			}
			picture := filepath.Join("testdata", language+".png")
			if _, err := os.Stat(picture); errors.Is(err, os.ErrNotExist) {
				readSomething(t, m)
				return
			}
			sample := readPNG(t, picture).(*image.Gray)
			readings, err := m.Read(t.Context(), []Strip{{sample.Rect.Dx(), sample.Pix}})
			if err != nil {
				t.Fatal(err)
			}
			if got := readings[0].text(); got != samples[language] {
				t.Errorf("read %q, want %q", got, samples[language])
			}
		})
	}
}
