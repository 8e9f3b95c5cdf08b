package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/models/commander/sentence"
)

// What a sentence means is found in its words.
func TestExampleOf(t *testing.T) {
	t.Parallel()
	all, err := screensOf("said/first.screens")
	if err != nil {
		t.Fatal(err)
	}
	s := sample{`Put "blue sky" into Search for, then untick Wrap around and press ctrl+s`, all["find"],
		[]string{`set field Search for to "blue sky"`, `set checkbox Wrap around to "off"`, "press ctrl+s"}}
	e, ok := exampleOf(s)
	if !ok || len(e.Steps) != 3 {
		t.Fatalf("%v, %+v", ok, e)
	}
	c := sentence.CluesOf(s.said, s.screen)
	var begins, values, keys []string
	for k, w := range c.Words {
		if e.Starts[k] == 1 {
			begins = append(begins, w.Word)
		}
		switch e.Roles[k] {
		case sentence.ValueBegin:
			values = append(values, w.Word)
		case sentence.KeyBegin:
			keys = append(keys, w.Word)
		}
	}
	if !slices.Equal(begins, []string{"put", "then", "and"}) || !slices.Equal(values, []string{"blue sky"}) || !slices.Equal(keys, []string{"ctrl+s"}) {
		t.Errorf("steps begin at %q, values at %q, keys at %q", begins, values, keys)
	}
	for k, want := range []string{"set", "off", "press"} {
		step := e.Steps[k]
		if sentence.Acts[step.Act] != want || step.Masked || (len(step.Target) == 0) != (want == "press") {
			t.Errorf("step %d: %s, %+v", k, sentence.Acts[step.Act], step)
		}
		for _, m := range step.Target {
			if m := c.Mentions[m]; m.From < step.From || m.To > step.To {
				t.Errorf("step %d from %d to %d is done to the words from %d to %d", k, step.From, step.To, m.From, m.To)
			}
		}
	}
}

// Of all sentences, the meanings of nearly all are found.
func TestSaidIsFound(t *testing.T) {
	t.Parallel()
	lists, err := listOf("said")
	if err != nil || len(lists) == 0 {
		t.Fatal(lists, err)
	}
	samples, _, _, err := read(lists)
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, s := range samples {
		if _, ok := exampleOf(s); !ok {
			lost++
		}
	}
	if len(samples) < 3000 || lost > len(samples)/100 {
		t.Errorf("%d of %d are lost", lost, len(samples))
	}
}

// A thing that has another name has it in the sentence and in its meaning too.
func TestReplaceFold(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"Click Save, please", "Save", "Apply", "Click Apply, please"},
		{"click save now", "Save", "Apply", "click apply now"},
		{`press "Save"`, "Save", "Apply", `press "Apply"`},
		{"Click Save as", "Save a", "Apply", "Click Save as"},
	} {
		if got, ok := replaceFold(c[0], c[1], c[2]); got != c[3] || ok != (got != c[0]) {
			t.Errorf("%q: %q", strings.Join(c[:3], ", "), got)
		}
	}
}
