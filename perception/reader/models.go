package reader

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/convnet"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/ngram"
	"github.com/windieos/windie/perception/textmap"
	"github.com/windieos/windie/sdkapi"
)

// own is Windie's own network, written by perception/training/windie_training/export.py.
//
//go:embed windie.net
var own []byte

// followers has the probabilities of sequences of characters, written by
// perception/training/windie_training/ngrams.py.
//
//go:embed windie.ngrams
var followers []byte

// table returns the decoded followers.
var table = sync.OnceValue(func() *ngram.Model {
	model, err := ngram.Load(followers)
	if err != nil {
		panic(err)
	}
	return model
})

// ownLanguages lists the languages that Windie's own network reads, by the names of Tesseract's
// files.
var ownLanguages = strings.Fields("afr bel bos bul cat ces cym dan deu ell eng est eus fao fin fra fry gle gla glg hrv hun ind isl " +
	"ita lav lit ltz mlt msa nld nor oci pol por ron rus slk slv spa sqi srp srp_latn swa swe tur ukr")

// packaged lists the folders in which packages of operating systems install networks.
var packaged = []string{
	"/usr/share/tesseract-ocr/5/tessdata",    // Debian, Ubuntu
	"/usr/share/tesseract-ocr/4.00/tessdata", // older Debian, Ubuntu
	"/usr/share/tessdata",                    // Alpine, Arch
	"/usr/share/tesseract/tessdata",          // Fedora
	"/usr/local/share/tessdata",              // built from source
	"/opt/homebrew/share/tessdata",           // Homebrew
}

const (
	suffix = ".traineddata"
	fast   = " (of the fast kind)"
)

// howToAdd returns an instruction to install the network of a language.
func howToAdd(lang string) string { return perception.HowToAddLanguage(lang, fast) }

// isLanguage matches names of languages. It also keeps paths out of file names.
var isLanguage = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{1,31}$`)

// network reads strips of the height that it requires.
type network struct {
	strips interface {
		Height() int
		Read(ctx context.Context, strips []lstm.Strip) ([]lstm.Reading, error)
	}
	lag float64 // distance from the reported column to the character, in columns of a strip
}

// lagOfTesseract is the lag of Tesseract's networks.
const lagOfTesseract = 1.5

// models loads the network of each language at most once. Its methods are safe for concurrent use.
type models struct {
	dir    string // folder of the networks; if empty, the first folder in packaged that has the file
	kernel string

	mu     sync.Mutex
	loaded map[string]network
	rows   *textmap.Model // nil until its first use
}

// finder returns the network that finds rows of text.
func (m *models) finder() (*textmap.Model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		model, err := textmap.Own()
		if err == nil {
			err = model.Use(m.kernel)
		}
		if err != nil {
			return nil, err
		}
		m.rows = model
	}
	return m.rows, nil
}

// load returns the networks of languages, for example "eng+deu". Languages that share a network get
// one entry. The error for a missing network says how to install it.
func (m *models) load(languages string) (list []network, err error) {
	seen := map[string]bool{}
	for lang := range strings.SplitSeq(languages, "+") {
		if slices.Contains(ownLanguages, lang) {
			lang = ""
		}
		if seen[lang] {
			continue
		}
		seen[lang] = true
		model, err := m.one(lang)
		if err != nil {
			return nil, err
		}
		list = append(list, model)
	}
	return list, nil
}

// one returns the network of a language, or Windie's own for "".
func (m *models) one(lang string) (network, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.loaded[lang]; ok {
		return n, nil
	}
	if lang == "" {
		model, err := convnet.Load(own)
		if err == nil {
			err = model.Use(m.kernel)
		}
		if err == nil {
			model.Choose(table())
		}
		if err != nil {
			return network{}, unavailable("the built-in text network is invalid (%s); install the gateway again", err).Because(err)
		}
		return m.keep(lang, network{strips: model}), nil
	}
	file, data, err := m.find(lang)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && isLanguage.MatchString(lang) {
		return network{}, unavailable("cannot read %s%s; give the gateway's user read permission, or: %s", lang, suffix, howToAdd(lang)).Because(err)
	}
	if err != nil {
		return network{}, unavailable("%s%s was not found in %s: %s", lang, suffix, strings.Join(m.dirs(), ", "), howToAdd(lang)).Because(err)
	}
	model, err := lstm.Load(data)
	if err == nil {
		err = model.Use(m.kernel)
	}
	if err != nil {
		return network{}, unavailable("the file %s is unusable (%s): %s", file, err, howToAdd(lang)).Because(err)
	}
	return m.keep(lang, network{strips: model, lag: lagOfTesseract}), nil
}

// keep stores the network of a language for later calls, and returns it. The caller holds mu.
func (m *models) keep(lang string, n network) network {
	if m.loaded == nil {
		m.loaded = map[string]network{}
	}
	m.loaded[lang] = n
	return n
}

// find returns the file of a language's network, and its content. It searches dir, or packaged if
// dir is empty.
func (m *models) find(lang string) (file string, data []byte, err error) {
	if !isLanguage.MatchString(lang) {
		return "", nil, fmt.Errorf("invalid language name %q", lang)
	}
	missed := fs.ErrNotExist
	for _, dir := range m.dirs() {
		file = filepath.Join(dir, lang+suffix)
		if data, err = os.ReadFile(file); err == nil {
			return file, data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			missed = err
		}
	}
	return "", nil, missed
}

// dirs returns the folders with networks: only dir if it is set, otherwise packaged.
func (m *models) dirs() []string {
	if m.dir != "" {
		return []string{m.dir}
	}
	return packaged
}

// check returns a ValidationError for the first of languages that is not installed, or nil.
func (m *models) check(languages string) error {
	return perception.CheckLanguages("reader", languages, m.installed(), fast)
}

// installed lists the available languages, sorted: those in the binary and those with a file.
func (m *models) installed() []string {
	list := slices.Clone(ownLanguages)
	for _, dir := range m.dirs() {
		files, _ := filepath.Glob(filepath.Join(dir, "*"+suffix)) // the pattern is valid
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), suffix)
			if perception.IsLanguage(name) && isLanguage.MatchString(name) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// unavailable returns the fault OCR_UNAVAILABLE, with message as a format for args.
func unavailable(message string, args ...any) *fault.Error {
	return fault.New("reader", sdkapi.OCRUnavailable, message, args...)
}
