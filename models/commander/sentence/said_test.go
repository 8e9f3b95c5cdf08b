package sentence_test

import (
	"bufio"
	"image"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/models/commander/sentence"
)

var (
	screenPattern = regexp.MustCompile(`^== (\S+): (.*)$`)
	windowPattern = regexp.MustCompile(`window "([^"]+)"`)
	thingPattern  = regexp.MustCompile(`^([a-z ]+?)(?: "([^"]+)")?(?: \((.*?)\))?(?: = "([^"]*)")?(?: \[(on|off)\])?(?: \((.*)\))?$`)
)

// screens reads a file of screens; training/said/first.screens says how they are written.
func screens(t *testing.T, name string) map[string][]sentence.Thing {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := map[string][]sentence.Thing{}
	name, window, y := "", "", 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if part := screenPattern.FindStringSubmatch(line); part != nil {
			name, y = part[1], 60
			for i, w := range windowPattern.FindAllStringSubmatch(part[2], -1) {
				rect := image.Rect(0, 0, 1000, 800)
				if i == 0 {
					window = w[1]
				}
				all[name] = append(all[name], sentence.Thing{Kind: "window", Name: w[1], Window: w[1], Active: i == 0, Rect: rect})
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for i, one := range strings.Split(line, " | ") {
			part := thingPattern.FindStringSubmatch(one)
			if part == nil {
				t.Fatalf("%q", one)
			}
			thing := sentence.Thing{Kind: part[1], Name: part[2], Text: part[4], Window: window, Active: true, Rect: image.Rect(20+150*i, y, 150+150*i, y+20)}
			thing.On, thing.Has = part[5] == "on", part[5] != "" || part[1] == "spinner" || part[1] == "slider"
			thing.Lines = strings.Contains(part[3], "several lines")
			thing.Popup = part[1] == "menu item"
			all[name] = append(all[name], thing)
		}
		y += 30
	}
	return all
}

// TestSaid reads sentences that people have said for screens, and compares what is understood with what they meant. What is
// understood wrongly is worse than what is not. The network has not learned from these sentences, and they were not used to
// make it. plain.tsv has instructions, chatty.tsv what people say on the phone. WINDIE_SAID names another file instead: NAME.tsv
// with the screens in NAME.screens.
func TestSaid(t *testing.T) {
	t.Parallel()
	if name := os.Getenv("WINDIE_SAID"); name != "" {
		understood(t, name)
		return
	}
	for name, want := range map[string]struct{ right, wrong int }{"testdata/plain": {245, 32}, "testdata/chatty": {160, 43}} {
		if right, wrong := understood(t, name); right < want.right || wrong > want.wrong {
			t.Errorf("%s: fewer are understood than before, or more are understood wrongly", name)
		}
	}
}

// understood returns how many sentences of a file are understood, rightly and wrongly.
func understood(t *testing.T, name string) (right, wrong int) {
	t.Helper()
	screens := screens(t, name+".screens")
	text, err := os.ReadFile(name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	asked, total := 0, 0
	for line := range strings.Lines(string(text)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(part) != 3 {
			continue
		}
		total++
		got := sure(part[1], screens[part[0]])
		switch {
		case plain(got) == plain(part[2]):
			right++
			continue
		case strings.Contains(got, "?"):
			asked++
		default:
			wrong++
			got = "WRONG: " + got
		}
		if os.Getenv("WINDIE_SAY") != "" {
			t.Logf("%s: %s\n\tgot  %s\n\twant %s", part[0], part[1], got, part[2])
		}
	}
	t.Logf("%s: %d sentences: %d right, %d not understood, %d wrong", name, total, right, asked, wrong)
	return right, wrong
}

// sure returns the steps of a sentence in short; what names several things, or nothing on the screen, is not understood.
func sure(said string, screen []sentence.Thing) string {
	var list []string
	for rest := said; rest != "" && len(list) < 9; {
		step, after, err := sentence.Read(rest, screen)
		if err == nil && step.Act == sentence.Click && step.Target.Part && risky(screen[step.Target.Things[0]].Kind) {
			return strings.Join(append(list, "?"), "; ") // the user is asked
		}
		if err != nil || len(step.Target.Things) > 1 || len(step.To.Things) > 1 || !step.IsSure() && step.Target.Cell == "" && len(list) == 0 && step.Act != sentence.Select {
			return strings.Join(append(list, "?"), "; ")
		}
		list, rest = append(list, short(step, screen)), after
	}
	return strings.Join(list, "; ")
}

// risky reports whether a click on a part of the name of things of a kind is asked about.
func risky(kind string) bool { return sentence.Thing{Kind: kind}.NeedsWholeName() }

// openedPattern matches an entry that is chosen in a menu that the step before has opened.
var openedPattern = regexp.MustCompile(`click menu ([^;]+); click "?([^";]+)"?`)

// radioPattern matches a radio button that is set on, which is the same as a click on it.
var radioPattern = regexp.MustCompile(`set radio (\w+) to "on"`)

// scrollPattern matches how far to scroll.
var scrollPattern = regexp.MustCompile(`scroll by (-?0?)(\d*), ?(-?0?)(\d*)`)

// plain returns steps without what does not matter.
func plain(steps string) string {
	steps = radioPattern.ReplaceAllString(steps, "click radio $1")
	steps = openedPattern.ReplaceAllString(steps, "menu $1 > $2")
	steps = strings.ToLower(strings.NewReplacer("select text ", "select ", "\"", "", "window ", "").Replace(steps))
	steps = scrollPattern.ReplaceAllString(steps, "scroll by $1, $3") // how far does not matter
	return strings.Join(strings.Fields(steps), " ")
}
