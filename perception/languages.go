package perception

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// MissingLanguage returns the first of languages, as "eng+deu", not installed.
func MissingLanguage(languages string, installed []string) (lang string, missing bool) {
	for lang := range strings.SplitSeq(languages, "+") {
		if !slices.Contains(installed, lang) {
			return lang, true
		}
	}
	return "", false
}

// CheckLanguages reports the first of languages that an engine, named by op, has
// not installed. kind is what HowToAddLanguage says about its data.
func CheckLanguages(op, languages string, installed []string, kind string) error {
	if lang, missing := MissingLanguage(languages, installed); missing {
		return fault.New(op, sdkapi.ValidationError, "the text reader has no language %q, only %s: %s",
			lang, strings.Join(installed, ", "), HowToAddLanguage(lang, kind))
	}
	return nil
}

// IsLanguage reports whether a data file of tesseract is of a language: osd is for
// a page's orientation, and equ for formulas.
func IsLanguage(name string) bool { return name != "osd" && name != "equ" }

// HowToAddLanguage says where the data of a language comes from, of a kind, as
// " (of the fast kind)", or any. Debian's packages are named after the language,
// with dashes.
func HowToAddLanguage(lang, kind string) string {
	return fmt.Sprintf("install the package tesseract-ocr-%s, or put %s.traineddata%s where WINDIE_TESSDATA points",
		strings.ToLower(strings.ReplaceAll(lang, "_", "-")), lang, kind)
}

// ofScripts are the languages that scripts are most likely in, by their names and by those of their data.
var ofScripts = map[sdkapi.Script]struct{ names, data, first string }{
	sdkapi.ScriptCJK:         {"Chinese, Japanese or Korean", "chi_sim, chi_tra, jpn or kor", "chi_sim"},
	sdkapi.ScriptRightToLeft: {"Arabic, Persian or Hebrew", "ara, fas or heb", "ara"},
	sdkapi.ScriptOther:       {"another script, as Thai, Hindi or Georgian", "tha, hin, kat and so on", "tha"},
}

// HowToRead says how to have text in a script read that no language in use has.
func HowToRead(script sdkapi.Script) string {
	of := ofScripts[script]
	return fmt.Sprintf("to read %s, send its language in languages, as eng+%s (%s), or name it in WINDIE_OCR_LANGUAGES; where it is missing, %s",
		of.names, of.first, of.data, HowToAddLanguage(of.first, ""))
}
