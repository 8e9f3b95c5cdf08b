// Package tesseract reads screens with the tesseract program.
//
//	engine := tesseract.New(tesseract.Config{})
//	rows, err := engine.Read(ctx, screen, sdkapi.Reading{})
//
// The package doubles the size of each screen, because the text of interfaces is smaller than the
// text on which the program was trained. The program reads the screen as sparse text (page
// segmentation mode 11). rows.go joins the words into rows.
package tesseract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Config configures an Engine. The zero value reads English with the program tesseract on the PATH.
type Config struct {
	Program   string // name or path of the program; default "tesseract"
	Languages string // languages to read, for example "eng" or "eng+deu"; default "eng"
	DataDir   string // folder of *.traineddata files; default the folder that the program uses
}

// Engine implements perception.Engine. Each Read starts a process. Its methods are safe for
// concurrent use.
type Engine struct {
	cfg Config

	mu   sync.Mutex
	name string // set by the first successful Ready
}

var _ perception.Engine = (*Engine)(nil)

const (
	probeTimeout  = 10 * time.Second // time limit for the version and the list of languages
	maxProgramOut = 64 << 20         // maximum bytes of the program's output
	minSide       = 3                // pixels; the program fails on less
	// maxDoubled is the maximum number of pixels of a screen that is doubled. Larger screens have a
	// device scale of two.
	maxDoubled = 4_200_000
)

// New returns an engine. It searches for the program at the first use, so the program may be
// installed later.
func New(cfg Config) *Engine {
	cfg.Program = cmp.Or(cfg.Program, "tesseract")
	cfg.Languages = cmp.Or(cfg.Languages, "eng")
	return &Engine{cfg: cfg}
}

// Name returns "tesseract". After a successful Ready, it returns the version and the languages too,
// for example "tesseract 5.3.0 (eng)".
func (e *Engine) Name() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return cmp.Or(e.name, "tesseract")
}

// Ready implements perception.Engine. It runs the program to check the program and its data. After
// the first success it returns nil without a new check.
func (e *Engine) Ready(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.name != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	version, err := e.run(ctx, nil, "--version")
	if err != nil {
		return unavailable("the tesseract program (%s) is missing or does not run; install it with `make deps`, "+
			"or install your system's package tesseract-ocr", e.cfg.Program).Because(err)
	}
	list, err := e.installed(ctx)
	if err != nil {
		return err
	}
	if lang, missing := perception.MissingLanguage(e.cfg.Languages, list); missing {
		return unavailable("tesseract has no data for language %q: %s", lang, perception.HowToAddLanguage(lang, ""))
	}
	first, _, _ := strings.Cut(string(version), "\n")
	e.name = fmt.Sprintf("%s (%s)", strings.TrimSpace(first), e.cfg.Languages)
	return nil
}

// Read implements perception.Engine.
func (e *Engine) Read(ctx context.Context, screen perception.Screen, how sdkapi.Reading) ([]perception.Row, error) {
	if err := e.Ready(ctx); err != nil {
		return nil, err
	}
	if how.Languages == "" {
		how.Languages = e.cfg.Languages
	} else if err := e.check(ctx, how.Languages); err != nil {
		return nil, err
	}
	size := screen.Bounds().Size()
	if size.X < minSide || size.Y < minSide {
		return nil, nil
	}
	scale := 1
	if size.X*size.Y <= maxDoubled {
		scale = 2
	}
	out, err := e.run(ctx, greyMap(screen.NRGBA, scale),
		e.withData("stdin", "stdout", "-l", how.Languages, "--psm", "11", "-c", "tessedit_create_tsv=1")...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, unavailable("tesseract failed on this image; the gateway's log has the reason").Because(err)
	}
	words, err := parseTSV(out, scale)
	if err != nil {
		return nil, unavailable("the output of tesseract has an unknown format; use version 4 or 5").Because(err)
	}
	return joinRows(words), nil
}

// withData adds the folder of language data to the arguments, if the configuration names one.
func (e *Engine) withData(args ...string) []string {
	if e.cfg.DataDir != "" {
		args = append(args, "--tessdata-dir", e.cfg.DataDir)
	}
	return args
}

// run runs the program and returns its output. It stops the program when ctx ends.
func (e *Engine) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, e.cfg.Program, args...)
	// With OpenMP's threads the program is five times slower on small pictures, so it gets one
	// thread.
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = stdin
	cmd.Stdout = &limited{w: &out, left: maxProgramOut}
	cmd.Stderr = &limited{w: &complaint, left: 4 << 10, drop: true}
	cmd.WaitDelay = time.Second // a child of the program may keep pipes open
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", e.cfg.Program, strings.Join(args, " "), err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out.Bytes(), nil
}

var errTooMuch = errors.New("the program printed too much")

// limited writes the first left bytes to w. It drops the rest if drop is set, and fails otherwise.
type limited struct {
	w    io.Writer
	left int
	drop bool
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	keep := p[:min(len(p), l.left)]
	l.left -= len(keep)
	if _, err := l.w.Write(keep); err != nil {
		return 0, err
	}
	if len(keep) < len(p) && !l.drop {
		return len(keep), errTooMuch
	}
	return len(p), nil
}

// unavailable returns the error OCR_UNAVAILABLE.
func unavailable(message string, args ...any) *fault.Error {
	return fault.New("tesseract", sdkapi.OCRUnavailable, message, args...)
}
