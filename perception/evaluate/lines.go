package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/perception"
)

// LineReader reads lines of text at given boxes. reader.Engine implements it.
type LineReader interface {
	ReadGiven(ctx context.Context, screen *image.NRGBA, boxes []image.Rectangle) ([]string, error)
}

// TrueLines is the result of the function Lines for the screens of one language. It says how well
// lines are read if their boxes are known.
type TrueLines struct {
	// Lang is the language of the screens, followed by their kind if the screens state one. For all
	// screens, Lang is "all".
	Lang string `json:"lang"`
	// Lines is the number of lines.
	Lines int `json:"lines"`
	// Words is the number of words.
	Words int `json:"words"`

	LineRecall float64 `json:"line_recall"` // share of lines without any error
	// WordRecall is the share of correct words.
	WordRecall float64 `json:"word_recall"`
	// CER is the character error rate: the number of wrong, missing and additional characters per
	// true character.
	CER float64 `json:"cer"`
	// Found is the recall of the same words if the reader must find the lines first.
	Found float64 `json:"found"`

	exact, right, wrong, characters, found int
}

// Lines evaluates how well reader reads single lines of text if it gets their true boxes. The
// parameter part selects the screens in dir. For comparison, the Scenes from newScenes also read
// the screens as a whole. The result is sorted by language, and "all" is last. Lines fails like
// Folder.
func Lines(ctx context.Context, dir string, part Part, reader LineReader, newScenes func() *perception.Scenes) ([]TrueLines, error) {
	labels, err := readPart(dir, part)
	if err != nil {
		return nil, err
	}
	byName := map[string]*TrueLines{"all": {Lang: "all"}}
	for i, l := range labels {
		progress.Report(ctx, readScreens, int64(i), int64(len(labels)))
		name := strings.TrimSpace(l.truth.Lang + " " + l.truth.Kind)
		if byName[name] == nil {
			byName[name] = &TrueLines{Lang: name}
		}
		one, err := l.trueLines(ctx, reader, newScenes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.file, err)
		}
		byName[name].add(one)
		byName["all"].add(one)
	}
	list := make([]TrueLines, 0, len(byName))
	for _, t := range byName {
		t.LineRecall, t.WordRecall = ratio(t.exact, t.Lines), ratio(t.right, t.Words)
		t.CER, t.Found = ratio(t.wrong, t.characters), ratio(t.found, t.Words)
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TrueLines) int {
		if (a.Lang == "all") != (b.Lang == "all") {
			return map[bool]int{true: 1, false: -1}[a.Lang == "all"]
		}
		return cmp.Compare(a.Lang, b.Lang)
	})
	return list, nil
}

// add adds the counts of o. It leaves the ratios alone.
func (t *TrueLines) add(o TrueLines) {
	t.Lines, t.Words, t.exact, t.right = t.Lines+o.Lines, t.Words+o.Words, t.exact+o.exact, t.right+o.right
	t.wrong, t.characters, t.found = t.wrong+o.wrong, t.characters+o.characters, t.found+o.found
}

// trueLines evaluates the lines of one screen that are readable and contain text.
func (l labelled) trueLines(ctx context.Context, reader LineReader, scenes *perception.Scenes) (t TrueLines, err error) {
	data, err := os.ReadFile(l.file)
	if err != nil {
		return t, err
	}
	scene, err := scenes.Scene(ctx, perception.SourceOf(data))
	if err != nil {
		return t, err
	}
	screen, _, err := perception.Decode(ctx, data)
	if err != nil {
		return t, err
	}
	if err := perception.Clean(ctx, screen); err != nil {
		return t, err
	}
	rows := slices.DeleteFunc(l.truth.rows(), func(r perception.Row) bool { return !hasText(r.Text) || !l.truth.readable(trueWord{Text: r.Text}) })
	boxes := make([]image.Rectangle, len(rows))
	for i, r := range rows {
		boxes[i] = r.Box
	}
	texts, err := reader.ReadGiven(ctx, screen, boxes)
	if err != nil {
		return t, err
	}
	for i, r := range rows {
		t.count(r.Text, texts[i])
	}
	t.found = l.truth.score(scene.Rows).found(t.Words)
	return t, nil
}

// found returns how many of a number of words are found if each is found with the probability of the recall.
func (s score) found(words int) int { return int(math.Round(s.recall() * float64(words))) }

// rows joins adjacent words on a line to rows, as readers do.
func (t truth) rows() (rows []perception.Row) {
	var end trueWord
	for _, w := range t.Words {
		if w.Field {
			continue // its box is the field's
		}
		pixels := func(f float64) int { return int(f * t.DPR) }
		word := perception.Word{Text: w.Text, Confidence: 1, Box: image.Rect(pixels(w.X), pixels(w.Y), pixels(w.X+w.W), pixels(w.Y+w.H))}
		gap := w.X - end.X - end.W
		if len(rows) == 0 || w.Y != end.Y || gap < 0 || gap > 0.6*w.H {
			rows = append(rows, perception.Row{ID: fmt.Sprint(len(rows))})
		}
		last := &rows[len(rows)-1]
		last.Words, last.Box = append(last.Words, word), last.Box.Union(word.Box)
		last.Text = strings.TrimSpace(last.Text + " " + w.Text)
		end = w
	}
	return rows
}

// count adds a line: the true text and the read text.
func (t *TrueLines) count(is, read string) {
	a, b := []rune(folded(is)), []rune(folded(read))
	t.Lines++
	t.characters += len(a)
	t.wrong += editDistance(a, b)
	words, readWords := wordsOf(is), wordsOf(read)
	if slices.Equal(words, readWords) {
		t.exact++
	}
	t.Words += len(words)
	t.right += common(words, readWords)
}

// wordsOf returns the words with letters or digits, folded.
func wordsOf(text string) (list []string) {
	for _, w := range strings.Fields(text) {
		if hasText(w) {
			list = append(list, folded(w))
		}
	}
	return list
}

// common returns the length of the longest common subsequence of a and b.
func common(a, b []string) int {
	last := make([]int, len(b)+1)
	for _, x := range a {
		next := make([]int, len(b)+1)
		for j, y := range b {
			next[j+1] = max(last[j+1], next[j])
			if x == y {
				next[j+1] = last[j] + 1
			}
		}
		last = next
	}
	return last[len(b)]
}

// editDistance returns the Levenshtein distance of a and b.
func editDistance(a, b []rune) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, x := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j, y := range b {
			change := 1
			if x == y {
				change = 0
			}
			next[j+1] = min(last[j]+change, last[j+1]+1, next[j]+1)
		}
		last = next
	}
	return last[len(b)]
}

// PrintLines writes list to w as a table.
func PrintLines(w io.Writer, list []TrueLines) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "screens\tlines\tread to the letter\twords\trecall\tCER\trecall, found\t")
	for _, t := range list {
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%d\t%.3f\t%.4f\t%.3f\t\n", t.Lang, t.Lines, t.LineRecall, t.Words, t.WordRecall, t.CER, t.Found)
	}
	return table.Flush()
}
