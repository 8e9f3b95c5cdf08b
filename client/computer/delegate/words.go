package delegate

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// leadIn matches a sentence that announces further work. "Let me know" announces nothing.
var leadIn = regexp.MustCompile(`(?i)^(?:(?:ok(?:ay)?|great|good|now|next|first|then|so|right|alright)[,.!:]?\s+)*(?:i['’]?ll\b|i will\b|i am going to\b|i['’]m going to\b|going to\b|let me\b|let['’]s\b|now i\b|using (?:the )?skill\b|looking (?:at|for|into)\b|checking\b|reading\b|running\b|searching\b|starting\b|working on\b)`)

var notLeadIn = regexp.MustCompile(`(?i)\blet me know\b|\bi['’]?ll (?:be|wait|stop|leave)\b|\bif you\b|\?$`)

// sentence matches the end of a sentence.
var sentence = regexp.MustCompile(`[.!?]\s+|\n+`)

// announces reports whether a text ends by announcing the agent's next action. Such a text is no
// answer.
func announces(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	if strings.HasSuffix(text, ":") {
		return true
	}
	parts := sentence.Split(strings.TrimRight(text, ".!… \n"), -1)
	last := strings.Trim(parts[len(parts)-1], "*_`#>- ")
	return leadIn.MatchString(last) && !notLeadIn.MatchString(text[len(text)-min(len(text), 200):])
}

// incomplete reports whether an ended turn has no answer yet. It looks at what the agent did, not
// at the length of its answer. The turn is incomplete if it was cut short, if it ended with a tool
// and no text, or if its last text announces work that did not follow.
func (t *turn) incomplete(how string) bool {
	all, last := t.answer()
	switch {
	case how == refused:
		return false
	case how == cutShort:
		return true
	case len(t.acted()) > 0 && last == "":
		return true
	case all == "":
		return true
	}
	return announces(last)
}

// Messages to an agent besides its task.
const (
	goOn      = "You stopped before the task was done, or before you reported the result. Continue. When all is done, report in a few sentences what you did and which files you changed."
	summarize = "You changed files without a report. Run no tools and change no files now. Report in a few sentences what you did.\n\nThese files changed:\n%s"
	notThere  = "Your answer names these files, but they do not exist:\n%s\n\nWrite them if they belong to the task. Otherwise name the right files."
	replayed  = "An earlier attempt at the task below was stuck and was stopped. Its changes are in the folder: check them before you repeat a step.\n\n%s\n\nThe task:\n%s"
)

// maxHistory limits what a new session learns of earlier ones, in bytes. maxRecent limits the steps
// in it.
const (
	maxHistory = 8 << 10
	maxRecent  = 40
)

// condensed returns the task with the results so far: actions, texts and changed files.
func condensed(task string, turns []*turn, changed []string) string {
	var acted, said []string
	for _, t := range turns {
		for _, one := range t.acted() {
			state := "done"
			if one.failed {
				state = "failed"
			} else if one.running {
				state = "result unknown"
			}
			acted = append(acted, fmt.Sprintf("- %s (%s)", cut(one.title), state))
		}
		if all, _ := t.answer(); all != "" {
			said = append(said, all)
		}
	}
	var b strings.Builder
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s\n%s\n\n", title, strings.Join(lines[max(0, len(lines)-maxRecent):], "\n"))
		}
	}
	section("Changed files:", changed)
	section("Latest steps:", acted)
	text := strings.Join(said, "\n\n")
	if room := maxHistory - b.Len(); len(text) > room {
		text = "…" + strings.ToValidUTF8(text[len(text)-max(room, 0):], "")
	}
	if text != "" {
		section("End of the conversation:", []string{text})
	}
	return fmt.Sprintf(replayed, strings.TrimSpace(b.String()), task)
}

// claim matches a line that claims that a file was written.
var claim = regexp.MustCompile(`(?i)\b(?:creat|wr[io]te|writ|sav|add|updat|generat|put|produc|stor|made|modif|edit|chang)`)

// unclaimed matches a line that says that a file was not written or does not exist.
var unclaimed = regexp.MustCompile(`(?i)\b(?:not|n['’]t|no longer|cannot|never|delet\w*|remov\w*|without|fail\w*|should|could|would|can|you may)\b`)

// named matches file names: paths in backticks or quotes, and words with an extension.
var named = regexp.MustCompile("[`\"'“]([^`\"'”\\s]{1,200})[`\"'”]|(?:^|[\\s(*])((?:[\\w.-]+/)*[\\w-][\\w.-]*\\.[A-Za-z]\\w{0,7})")

// isFile matches a file path by its extension. It does not match os.Exit or self.name.
var isFile = regexp.MustCompile(`(?i)^[^:]*\.(?:` + extensions + `)$`)

const extensions = `txt|md|rst|adoc|tex|pdf|csv|tsv|log|json|jsonl|ya?ml|toml|xml|ini|cfg|conf|env|lock|html?|css|scss|less|svg|png|jpe?g|gif|webp|ico|` +
	`go|mod|sum|py|pyi|ipynb|[cm]?[jt]sx?|vue|svelte|rb|rs|c|h|cc|cpp|hpp|cs|java|kts?|swift|m|php|pl|lua|r|jl|scala|clj|exs?|erl|hs|ml|dart|zig|nim|` +
	`sh|bash|zsh|fish|ps1|bat|sql|proto|graphql|tf|nix|gradle|cmake|mk|patch|diff|docx?|xlsx?|pptx?|od[stp]|zip|tar|gz|wasm|sqlite|db`

// claimed lists the files that an answer claims were written, as paths relative to dir.
func claimed(dir, answer string) (list []string) {
	for line := range strings.Lines(answer) {
		if !claim.MatchString(line) || unclaimed.MatchString(line) {
			continue
		}
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			name := strings.TrimRight(m[1]+m[2], ".,:;")
			if !isFile.MatchString(name) || strings.HasPrefix(strings.ToLower(name), "www.") {
				continue
			}
			if filepath.IsAbs(name) {
				within, err := filepath.Rel(dir, name)
				if err != nil {
					continue
				}
				name = within
			}
			if name = filepath.ToSlash(filepath.Clean(name)); filepath.IsLocal(name) && !slices.Contains(list, name) && len(list) < MaxListed {
				list = append(list, name)
			}
		}
	}
	return list
}
