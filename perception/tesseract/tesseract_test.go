package tesseract_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/tesseract"
	"github.com/windieos/windie/sdkapi"
)

func engine(t testing.TB) *tesseract.Engine {
	t.Helper()
	e := tesseract.New(tesseract.Config{})
	if err := e.Ready(context.Background()); err != nil {
		testkit.Skip(t, "the program tesseract", "make deps")
	}
	return e
}

func card(t testing.TB) *image.NRGBA {
	t.Helper()
	screen, _, err := perception.Decode(t.Context(), gatewaytest.Card())
	if err != nil {
		t.Fatal(err)
	}
	return screen
}

func TestRead(t *testing.T) {
	t.Parallel()
	e := engine(t)
	rows, err := e.Read(t.Context(), perception.ScreenOf(card(t)), sdkapi.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range rows {
		texts = append(texts, r.Text)
		if !r.Box.In(image.Rect(0, 0, 360, 160)) || r.Confidence < 0.8 || r.Confidence > 1 {
			t.Errorf("%+v", r)
		}
	}
	if got := strings.Join(texts, "|"); got != "Check out|Add to cart|Add to cart" {
		t.Errorf("read %q", got)
	}
	if name := e.Name(); !strings.HasPrefix(name, "tesseract ") || !strings.HasSuffix(name, "(eng)") {
		t.Errorf("name %q", name)
	}
}

// Screens without text are no failure, however small.
func TestReadNothing(t *testing.T) {
	t.Parallel()
	e := engine(t)
	for _, size := range []image.Point{{1, 1}, {3, 3}, {2, 500}, {400, 300}} {
		t.Run(size.String(), func(t *testing.T) {
			rows, err := e.Read(t.Context(), perception.ScreenOf(image.NewNRGBA(image.Rectangle{Max: size})), sdkapi.Reading{})
			if len(rows) != 0 || err != nil {
				t.Errorf("%v: %v, %v", size, rows, err)
			}
		})
	}
}

// slowProgram is a program that takes tesseract's place and does not end.
func slowProgram(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tesseract")
	script := "#!/bin/sh\ncase \"$1\" in --version) echo tesseract 9;; --list-langs) echo eng;; *) cat >/dev/null; sleep 100000;; esac\n"
	if err := os.WriteFile(name, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	e := tesseract.New(tesseract.Config{Program: slowProgram(t)})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := e.Read(ctx, perception.ScreenOf(card(t)), sdkapi.Reading{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg  tesseract.Config
		text string
	}{
		"no program":  {tesseract.Config{Program: "tesseract-that-is-not-there"}, "make deps"},
		"no language": {tesseract.Config{Program: slowProgram(t), Languages: "eng+tlh"}, "tesseract-ocr-tlh"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tesseract.New(tt.cfg).Read(t.Context(), perception.ScreenOf(card(t)), sdkapi.Reading{})
			if fault.CodeOf(err) != sdkapi.OCRUnavailable || !strings.Contains(fault.From(err).Message, tt.text) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// echoProgram is a program that takes tesseract's place, has two languages, and
// reads on every screen which of them it was told to read.
func echoProgram(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tesseract")
	script := "#!/bin/sh\ncase \"$1\" in --version) echo tesseract 9;; --list-langs) echo 'List of languages (3):'; echo deu; echo eng; echo osd;; " +
		"*) cat >/dev/null; printf '5\\t1\\t1\\t1\\t1\\t1\\t20\\t20\\t60\\t20\\t96\\t%s\\n' \"$4\";; esac\n"
	if err := os.WriteFile(name, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	e := tesseract.New(tesseract.Config{Program: echoProgram(t), Languages: "eng"})
	for languages, want := range map[string]string{"": "eng", "eng": "eng", "deu": "deu", "eng+deu": "eng+deu"} {
		t.Run(languages, func(t *testing.T) {
			if rows, err := e.Read(t.Context(), perception.ScreenOf(card(t)), sdkapi.Reading{Languages: languages}); err != nil || len(rows) != 1 || rows[0].Text != want {
				t.Errorf("%q: %v, %v", languages, rows, err)
			}
		})
	}
	for languages, lacks := range map[string]string{
		"fra": "tesseract-ocr-fra,", "eng+chi_sim": "tesseract-ocr-chi-sim, or put chi_sim.traineddata", "osd": `"osd"`, "eng+": `""`, "--psm": `"--psm"`,
	} {
		t.Run(languages, func(t *testing.T) {
			_, err := e.Read(t.Context(), perception.ScreenOf(card(t)), sdkapi.Reading{Languages: languages})
			if f := fault.From(err); fault.CodeOf(err) != sdkapi.ValidationError || !strings.Contains(f.Message, lacks) || !strings.Contains(f.Message, "only deu, eng:") {
				t.Errorf("%q: %v", languages, err)
			}
		})
	}
}

// A program that is installed while the gateway runs is found.
func TestInstalledLater(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "tesseract")
	e := tesseract.New(tesseract.Config{Program: name})
	if err := e.Ready(t.Context()); err == nil {
		t.Fatal("ready without a program")
	}
	content, err := os.ReadFile(slowProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.TrimSpace(content), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func BenchmarkRead(b *testing.B) {
	e, screen := engine(b), card(b)
	for b.Loop() {
		if _, err := e.Read(b.Context(), perception.ScreenOf(screen), sdkapi.Reading{}); err != nil {
			b.Fatal(err)
		}
	}
}
