package reader

import (
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
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/sdkapi"
)

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

// models holds networks by language, loaded once each. Its methods are safe for concurrent use.
type models struct {
	dir    string // empty: the first of packaged that has the file
	kernel string

	mu     sync.Mutex
	loaded map[string]*lstm.Model
}

// load returns the networks of languages, as "eng+deu". Its error says how to get missing ones.
func (m *models) load(languages string) (list []*lstm.Model, err error) {
	for lang := range strings.SplitSeq(languages, "+") {
		model, err := m.one(lang)
		if err != nil {
			return nil, err
		}
		list = append(list, model)
	}
	return list, nil
}

func (m *models) one(lang string) (*lstm.Model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if model := m.loaded[lang]; model != nil {
		return model, nil
	}
	file, data, err := m.find(lang)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && isLanguage.MatchString(lang) {
		return nil, unavailable("%s%s cannot be read; see that the gateway may: %s", lang, suffix, howToAdd(lang)).Because(err)
	}
	if err != nil {
		return nil, unavailable("%s%s was not found in %s: %s", lang, suffix, strings.Join(m.dirs(), ", "), howToAdd(lang)).Because(err)
	}
	model, err := lstm.Load(data)
	if err == nil {
		err = model.Use(m.kernel)
	}
	if err != nil {
		return nil, unavailable("%s cannot be used (%s): %s", file, err, howToAdd(lang)).Because(err)
	}
	if m.loaded == nil {
		m.loaded = map[string]*lstm.Model{}
	}
	m.loaded[lang] = model
	return model, nil
}

// find reads the file of a language.
func (m *models) find(lang string) (file string, data []byte, err error) {
	if !isLanguage.MatchString(lang) {
		return "", nil, fmt.Errorf("%q is no name of a language", lang)
	}
	var missed error
	for _, dir := range m.dirs() {
		file = filepath.Join(dir, lang+suffix)
		if data, err = os.ReadFile(file); err == nil {
			return file, data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || missed == nil {
			missed = err
		}
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
	have := m.installed()
	if len(have) == 0 {
		_, err := m.load(languages)
		return err // which says that nothing is there
	}
	return perception.CheckLanguages("reader", languages, have, fast)
}

// installed lists the languages whose files are there now.
func (m *models) installed() []string {
	var list []string
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
