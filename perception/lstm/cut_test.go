package lstm

import (
	"bytes"
	"reflect"
	"testing"
)

// What is cut out of a file loads as the file does, and nothing more can be cut
// off: the model in the binary has no words.
func TestCut(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string][]byte{"tiny": newTiny().file(), "english": englishFile(t)} {
		t.Run(name, func(t *testing.T) {
			cut, err := Cut(whole)
			if err != nil {
				t.Fatal(err)
			}
			was, err := Load(whole)
			if err != nil {
				t.Fatal(err)
			}
			is, err := Load(cut)
			if err != nil || !reflect.DeepEqual(is.net, was.net) || !reflect.DeepEqual(is.alphabet, was.alphabet) {
				t.Errorf("the cut file loads as another model, or not: %v", err)
			}
			if again, err := Cut(cut); err != nil || !bytes.Equal(again, cut) {
				t.Errorf("a second cut changes the file, or fails: %v", err)
			}
			if name == "english" && !bytes.Equal(cut, whole) {
				t.Errorf("the file in the binary has %d bytes that no reader needs", len(whole)-len(cut))
			}
		})
	}
	if _, err := Cut([]byte("all work and no play")); err == nil {
		t.Error("a text was cut")
	}
}
