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
	"github.com/windieos/windie/sdkapi"
)

// builtIn is the language whose network is in the binary.
const builtIn = "eng"

// english is that network: what make network cut out of the file of Debian's package
// tesseract-ocr-eng 1:4.1.0-2, whose SHA-256 is
// 7d4322bd2a7749724879683fc3912cb542f19906c83bcc1a52132556427170b2.
//
//go:embed eng.traineddata
var english []byte

// own is Windie's own network, which perception/training made: perception/training/windie_training/export.py wrote it.
//
//go:embed windie.net
var own []byte

// followers is how likely characters are to follow each other: perception/training/windie_training/ngrams.py counted them.
//
//go:embed windie.ngrams
var followers []byte

// table is what is in followers, which a test loads too.
var table = sync.OnceValue(func() *ngram.Model {
	model, err := ngram.Load(followers)
	if err != nil {
		panic(err)
	}
	return model
})

// ownLanguages are those whose letters it knows, named as files of Tesseract are.
var ownLanguages = strings.Fields("afr bel bos bul cat ces cym dan deu ell eng est eus fao fin fra fry gle gla glg hrv hun ind isl " +
	"ita lav lit ltz mlt msa nld nor oci pol por ron rus slk slv spa sqi srp srp_latn swa swe tur ukr")

// packaged lists where systems install the networks.
var packaged = []string{
	"/usr/share/tesseract-ocr/5/tessdata",    // Debian, Ubuntu
	"/usr/share/tesseract-ocr/4.00/tessdata", // and before
	"/usr/share/tessdata",                    // Alpine, Arch
	"/usr/share/tesseract/tessdata",          // Fedora
	"/usr/local/share/tessdata",              // built by hand
	"/opt/homebrew/share/tessdata",           // Homebrew
}

const (
	suffix = ".traineddata"
	fast   = " (of the fast kind)"
)

// howToAdd says where the network of a language comes from.
func howToAdd(lang string) string { return perception.HowToAddLanguage(lang, fast) }

// isLanguage matches the names of languages. It keeps requests from naming paths.
var isLanguage = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{1,31}$`)

// network reads strips of its height.
type network struct {
	strips interface {
		Height() int
		Read(ctx context.Context, strips []lstm.Strip) ([]lstm.Reading, error)
	}
	lag    float64 // how far right of its report a character is, in columns of a strip
	mended bool    // what it reads is held against the ink, and mended
}

// lagOfTesseract is the lag of Tesseract's networks.
const lagOfTesseract = 1.5

// models holds networks by language, loaded once each. Its methods are safe for concurrent use.
type models struct {
	dir    string // empty: English from the binary, others from the first of packaged that has the file
	kernel string
	own    bool // Windie's own network reads the languages that it knows

	mu     sync.Mutex
	loaded map[string]network
}

// load returns the networks of languages, as "eng+deu". Its error says how to get missing ones.
func (m *models) load(languages string) (list []network, err error) {
	seen := map[string]bool{}
	for lang := range strings.SplitSeq(languages, "+") {
		if m.own && slices.Contains(ownLanguages, lang) {
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
			return network{}, unavailable("the network in the binary cannot be used (%s)", err).Because(err)
		}
		return m.keep(lang, network{strips: model}), nil
	}
	file, data, err := m.find(lang)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && isLanguage.MatchString(lang) {
		return network{}, unavailable("%s%s cannot be read; see that the gateway may: %s", lang, suffix, howToAdd(lang)).Because(err)
	}
	if err != nil {
		return network{}, unavailable("%s%s was not found in %s: %s", lang, suffix, strings.Join(m.dirs(), ", "), howToAdd(lang)).Because(err)
	}
	model, err := lstm.Load(data)
	if err == nil {
		err = model.Use(m.kernel)
	}
	if err != nil {
		return network{}, unavailable("%s cannot be used (%s): %s", file, err, howToAdd(lang)).Because(err)
	}
	return m.keep(lang, network{strips: model, lag: lagOfTesseract, mended: true}), nil
}

func (m *models) keep(lang string, n network) network {
	if m.loaded == nil {
		m.loaded = map[string]network{}
	}
	m.loaded[lang] = n
	return n
}

// find returns the file of a language: one of the operator's folder, else the network in the
// binary, else one that a package installed.
func (m *models) find(lang string) (file string, data []byte, err error) {
	if !isLanguage.MatchString(lang) {
		return "", nil, fmt.Errorf("%q is no name of a language", lang)
	}
	dirs := m.dirs()
	if lang == builtIn && m.dir == "" {
		dirs = nil
	}
	missed := fs.ErrNotExist
	for _, dir := range dirs {
		file = filepath.Join(dir, lang+suffix)
		if data, err = os.ReadFile(file); err == nil {
			return file, data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			missed = err
		}
	}
	if lang == builtIn && errors.Is(missed, fs.ErrNotExist) {
		return "the network of English in the binary", english, nil
	}
	return "", nil, missed
}

func (m *models) dirs() []string {
	if m.dir != "" {
		return []string{m.dir}
	}
	return packaged
}

// check reports the first of languages that is not installed.
func (m *models) check(languages string) error {
	return perception.CheckLanguages("reader", languages, m.installed(), fast)
}

// installed lists the languages that can be read now: those of the networks in the binary, and those
// whose files are there.
func (m *models) installed() []string {
	list := []string{builtIn}
	if m.own {
		list = slices.Clone(ownLanguages)
	}
	for _, dir := range m.dirs() {
		files, _ := filepath.Glob(filepath.Join(dir, "*"+suffix)) // the pattern is a good one
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

func unavailable(message string, args ...any) *fault.Error {
	return fault.New("reader", sdkapi.OCRUnavailable, message, args...)
}
