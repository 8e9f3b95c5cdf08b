package locate

import (
	"strings"
	"testing"
)

// A file of vectors that is cut off is refused, whole ones give the words back.
func TestWordFile(t *testing.T) {
	t.Parallel()
	one, other := make([]float32, WordNumbers), make([]float32, WordNumbers)
	one[0], other[1] = 3, 0.5
	file, err := EncodeWords([]WordVector{{"clock", 900, one}, {"the", 1, other}})
	if err != nil {
		t.Fatal(err)
	}
	table, err := decodeWords(file)
	if err != nil || len(table.words) != 2 {
		t.Fatalf("the file has %v: %v", table, err)
	}
	a, b := table.find("Clocks"), table.find("clocks,")
	if a >= 0 || b != 0 {
		t.Errorf("a form of a word is found at %d and %d, want none and 0", a, b)
	}
	if same, unlike := table.near(0, 0), table.near(0, 1); same < 0.99 || unlike > 0.01 {
		t.Errorf("a word is as near to itself as %.2f, to another one as %.2f", same, unlike)
	}
	if table.weight[0] < 2*table.weight[1] {
		t.Errorf("the weights are %v, want less for the more frequent word", table.weight)
	}
	if _, err := decodeWords(file[:len(file)/2]); err == nil {
		t.Error("half a file is read without an error")
	}
	if _, err := EncodeWords([]WordVector{{strings.Repeat("a", 256), 1, one}}); err == nil {
		t.Error("a word of 256 bytes is written without an error")
	}
}

// Words with the same use are near each other.
func TestNearWords(t *testing.T) {
	t.Parallel()
	table := wordVectors()
	at := func(word string) int {
		i := table.find(word)
		if i < 0 {
			t.Fatalf("%q is unknown", word)
		}
		return i
	}
	for _, pair := range [][3]string{{"picture", "image", "salary"}, {"printer", "print", "town"}, {"alerts", "notifications", "harbour"}} {
		t.Run(pair[0], func(t *testing.T) {
			near, far := table.near(at(pair[0]), at(pair[1])), table.near(at(pair[0]), at(pair[2]))
			if near < far+0.2 {
				t.Errorf("%q is as near to %q as %.2f, to %q as %.2f", pair[0], pair[1], near, pair[2], far)
			}
		})
	}
}
