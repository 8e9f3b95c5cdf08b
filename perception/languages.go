package perception

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// MissingLanguage returns the first language of languages that is not in installed. languages has
// the form "eng+deu".
func MissingLanguage(languages string, installed []string) (lang string, missing bool) {
	for lang := range strings.SplitSeq(languages, "+") {
		if !slices.Contains(installed, lang) {
			return lang, true
		}
	}
	return "", false
}

// CheckLanguages returns a ValidationError for the first language of languages that is not in
// installed. It returns nil if all are installed. op is the name of the failed operation.
// For kind, see HowToAddLanguage.
func CheckLanguages(op, languages string, installed []string, kind string) error {
	if lang, missing := MissingLanguage(languages, installed); missing {
		return fault.New(op, sdkapi.ValidationError, "the text reader does not have the language %q, only %s: %s",
			lang, strings.Join(installed, ", "), HowToAddLanguage(lang, kind))
	}
	return nil
}

// IsLanguage reports whether tesseract's data file with this name is for a language. The data files
// osd (orientation of pages) and equ (formulas) are not for languages.
func IsLanguage(name string) bool { return name != "osd" && name != "equ" }

// HowToAddLanguage returns an instruction to install the data of a language. kind says which kind
// of data is needed, for example " (of the fast kind)"; "" means any kind. The names of Debian's
// packages contain the language, with dashes instead of underscores.
func HowToAddLanguage(lang, kind string) string {
	return fmt.Sprintf("install the package tesseract-ocr-%s, or put %s.traineddata%s where WINDIE_TESSDATA points",
		strings.ToLower(strings.ReplaceAll(lang, "_", "-")), lang, kind)
}

// ofScripts lists the likeliest languages of each script: their names, their data files, and the
// data file to suggest first.
var ofScripts = map[sdkapi.Script]struct{ names, data, first string }{
	sdkapi.ScriptCJK:         {"Chinese, Japanese or Korean", "chi_sim, chi_tra, jpn or kor", "chi_sim"},
	sdkapi.ScriptRightToLeft: {"Arabic, Persian or Hebrew", "ara, fas or heb", "ara"},
	sdkapi.ScriptOther:       {"another script, such as Thai, Hindi or Georgian", "tha, hin, kat and so on", "tha"},
}

// HowToRead returns an instruction for reading text in a script that none of the configured
// languages uses.
func HowToRead(script sdkapi.Script) string {
	of := ofScripts[script]
	return fmt.Sprintf("to read %s, send its language in languages, for example eng+%s (%s), or add it to WINDIE_OCR_LANGUAGES; if its data is missing, %s",
		of.names, of.first, of.data, HowToAddLanguage(of.first, ""))
}
