package sentence_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/windieos/windie/models/commander/sentence"
)

// BenchmarkLearned reads a sentence of two steps on a screen of 200 things.
func BenchmarkLearned(b *testing.B) {
	var screen []sentence.Thing
	for i := range 200 {
		screen = append(screen, sentence.Thing{Kind: []string{"button", "checkbox", "list item", "text"}[i%4], Name: fmt.Sprintf("Thing %c%c of %d", 'a'+i%26, 'A'+i/26, i), Active: true, Rect: image.Rect(i%10*100, i/10*30, i%10*100+80, i/10*30+20)})
	}
	const said = "Could you please tick the box Thing bA of 1 for me, and after that click on the button called Thing eA of 4 in the list below it"
	for b.Loop() {
		_, _, _, ok := sentence.Learned(said, screen)
		_ = ok
	}
}

// BenchmarkGrammar is the same by the grammar.
func BenchmarkGrammar(b *testing.B) {
	var screen []sentence.Thing
	for i := range 200 {
		screen = append(screen, sentence.Thing{Kind: []string{"button", "checkbox", "list item", "text"}[i%4], Name: fmt.Sprintf("Thing %c%c of %d", 'a'+i%26, 'A'+i/26, i), Active: true, Rect: image.Rect(i%10*100, i/10*30, i%10*100+80, i/10*30+20)})
	}
	const said = "Could you please tick the box Thing bA of 1 for me, and after that click on the button called Thing eA of 4 in the list below it"
	for b.Loop() {
		_, _, err := sentence.Read(said, screen)
		_ = err
	}
}
