package speech

import (
	"slices"
	"testing"
)

// Sentences do not depend on how a text is cut into pieces, but for where a piece ends a text.
func TestSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"The letter is sorted. Anything else?":                          {"The letter is sorted.", "Anything else?"},
		"Yes. It is done, and it took 3.5 s. Good night.":               {"Yes. It is done, and it took 3.5 s.", "Good night."},
		"Ask Dr. Weiss, e.g. at 14:30. J. Ito knows etc. and so on.":    {"Ask Dr. Weiss, e.g. at 14:30.", "J. Ito knows etc. and so on."},
		"He wrote \"It works.\" Then he left.":                          {"He wrote \"It works.\"", "Then he left."},
		"# Steps\n\n1. Open the file.\n2. Press `Enter`.\n":             {"Steps 1. Open the file.", "2. Press Enter."},
		"Steps:\n- **bold** text\n- [a link](https://a.example/x) here": {"Steps: bold text", "a link here"},
		"See https://www.example.com/a?b=c for more of it.":             {"See example.com for more of it."},
		"Run this:\n```sh\nrm -rf build\nmake\n```\nThen look again.":   {"Run this: Code.", "Then look again."},
		"你好。今天天气很好！":                                                    {"你好。今天天气很好！"},
		"The name is snake_case_name in the file_list, is it not?":      {"The name is snake_case_name in the file_list, is it not?"},
		"Wait... what is that?":                                         {"Wait... what is that?"},
		"---\n\n***\n":                                                  nil,
		"| a | b |\n|---|---|\n| first | second |\n":                    {", a , b , , first , second ,"},
		"```ls``` lists the files.\nThen read them.":                    {"ls lists the files.", "Then read them."},
		"```echo Yes. No?``` prints it. Then go on there.":              {"echo Yes. No? prints it.", "Then go on there."},
		"Try it now:\n```\n```ls```\n```\nThen read them.":              {"Try it now: Code.", "Then read them."},
		"```ls```": {"ls"},
		"no end":   {"no end"},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var whole, pieces sentences
			if got := append(whole.add(text), whole.end()...); !slices.Equal(got, want) {
				t.Errorf("%q, want\n%q", got, want)
			}
			var said []string
			for _, r := range text {
				said = append(said, pieces.add(string(r))...)
			}
			if said = append(said, pieces.end()...); !slices.Equal(said, want) {
				t.Errorf("in pieces: %q, want\n%q", said, want)
			}
		})
	}
}

// A sentence is there as soon as it is known to have ended, and a long one is cut at a comma.
func TestSentencesComeSoon(t *testing.T) {
	t.Parallel()
	var s sentences
	if got := s.add("The letter is sorted. A"); !slices.Equal(got, []string{"The letter is sorted."}) {
		t.Errorf("%q", got)
	}
	long := ""
	for range 60 {
		long += "and one more, "
	}
	got := s.add(long)
	if len(got) < 3 {
		t.Fatalf("%q", got)
	}
	for _, part := range got {
		if len(part) > mostSentence {
			t.Errorf("%d bytes: %q", len(part), part)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("The letter is sorted. Anything else?", 3)
	f.Add("```\ncode", 1)
	f.Add("\xff. \x00 [[a]] 1. ", 2)
	f.Fuzz(func(t *testing.T, text string, size int) {
		var s sentences
		all := 0
		for size = max(1, size%20); text != ""; {
			n := min(size, len(text))
			for _, said := range s.add(text[:n]) {
				all += len(said)
			}
			text = text[n:]
		}
		_ = s.end()
		if s != (sentences{}) || all < 0 {
			t.Errorf("%+v is left", s)
		}
	})
}
