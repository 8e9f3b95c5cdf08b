package sentence_test

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/windieos/windie/models/commander/sentence"
)

// reads returns the steps of a sentence by the network, and how sure the least sure one is.
func reads(said string, screen []sentence.Thing) (string, float64) {
	var list []string
	least := 1.0
	for rest := said; rest != "" && len(list) < 9; {
		step, after, sure, ok := sentence.Learned(rest, screen)
		if !ok || step.Act == sentence.Click && step.Target.Part && len(step.Target.Things) > 0 && risky(screen[step.Target.Things[0]].Kind) || len(step.Target.Things) > 1 || len(step.To.Things) > 1 {
			return strings.Join(append(list, "?"), "; "), 0
		}
		least = min(least, sure)
		list, rest = append(list, short(step, screen)), after
	}
	return strings.Join(list, "; "), least
}

func TestLearned(t *testing.T) {
	all := screens(t)
	text, err := os.ReadFile(cmp.Or(os.Getenv("WINDIE_SAID"), "testdata/said.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	type one struct {
		learned, grammar, want string
		sure                   float64
		both                   string
		cost                   float64
	}
	var list []one
	for line := range strings.Lines(string(text)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(part) != 3 {
			continue
		}
		got, least := reads(part[1], all[part[0]])
		o := one{plain(got), plain(sure(sentence.Grammar, part[1], all[part[0]])), plain(part[2]), least, plain(sure(sentence.Read, part[1], all[part[0]])), sentence.Cost(part[1], all[part[0]])}
		list = append(list, o)
		if o.learned != o.want && os.Getenv("WINDIE_SAY") != "" {
			t.Logf("%s: %s\n\twant %s\n\tgot  %s (%.2f)\n\tgram %s", part[0], part[1], o.want, got, least, o.grammar)
		}
	}
	count := func(name string, answer func(o one) string) {
		right, asked, wrong := 0, 0, 0
		for _, o := range list {
			switch got := answer(o); {
			case got == o.want:
				right++
			case strings.Contains(got, "?"):
				asked++
			default:
				wrong++
			}
		}
		t.Logf("%-30s %d: right %d, refused %d, wrong %d", name, len(list), right, asked, wrong)
	}
	for _, limit := range []float64{.02, .05, .1, .2} {
		right, wrong, other := 0, 0, 0
		for _, o := range list {
			if o.learned != o.grammar && !strings.Contains(o.grammar, "?") && o.cost < limit {
				if o.grammar == o.want {
					right++
				} else {
					wrong++
				}
				if o.learned == o.want {
					other++
				}
			}
		}
		t.Logf("grammar below %.2f differs: right %d, wrong %d, network right %d", limit, right, wrong, other)
	}
	count("both", func(o one) string { return o.both })
	count("grammar", func(o one) string { return o.grammar })
	for _, limit := range []float64{0, .2, .4, .6, .8} {
		learned := func(o one) string {
			if o.sure < limit {
				return "?"
			}
			return o.learned
		}
		t.Logf("limit %.1f", limit)
		count("learned", learned)
		count("learned, or agreed", func(o one) string {
			if o.learned == o.grammar {
				return o.learned
			}
			return learned(o)
		})
		count("learned, then grammar", func(o one) string {
			if got := learned(o); !strings.Contains(got, "?") {
				return got
			}
			return o.grammar
		})
		count("grammar, then learned", func(o one) string {
			if !strings.Contains(o.grammar, "?") {
				return o.grammar
			}
			return learned(o)
		})
		count("grammar if not contradicted", func(o one) string {
			got := learned(o)
			if !strings.Contains(o.grammar, "?") && (strings.Contains(got, "?") || got == o.grammar) {
				return o.grammar
			}
			if strings.Contains(o.grammar, "?") {
				return got
			}
			return "?"
		})
	}
}
