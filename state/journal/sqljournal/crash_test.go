//go:build system

package sqljournal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// What a process that is to be killed does at once.
const (
	crashStreams  = 3
	crashWriters  = 6 // several to each stream
	crashDeciders = 2
)

// childWork appends and decides until it is killed, and prints what was
// acknowledged: "event STREAM SEQ DATA", "asked ID",
// "decided ID VALUE".
func childWork(ctx context.Context, config database.Config, round string) {
	j := childOpen(ctx, config)
	var wg sync.WaitGroup
	for w := range crashWriters {
		wg.Go(func() {
			stream := fmt.Sprint("s", w%crashStreams)
			for n := 0; ; n++ {
				var events []journal.Event
				for part := range 1 + n%3 {
					events = append(events, journal.Event{Kind: "crash", Data: crashData(round, w, n, part)})
				}
				last, err := j.Append(ctx, stream, events...)
				if err != nil {
					return
				}
				for i, e := range events {
					name, _ := crashName(e.Data)
					fmt.Printf("event %s %d %s\n", stream, last-int64(len(events)-1-i), name)
				}
			}
		})
	}
	for w := range crashDeciders {
		wg.Go(func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("%s.%d.%d", round, w, n)
				if _, err := j.Open(ctx, journal.Decision{ID: id, User: "ada", Kind: "approval", Digest: "d", Stream: "s0"}); err != nil {
					return
				}
				fmt.Println("asked", id)
				if _, err := j.Decide(ctx, id, journal.Decider{User: "ada"}, journal.Answer{Value: json.RawMessage(strconv.Itoa(n))}); err != nil {
					return
				}
				fmt.Println("decided", id, n)
			}
		})
	}
	wg.Wait()
}

// crashPad is what a large event has besides its name, which is in pieces then.
var crashPad = strings.Repeat("é", 3<<20/2)

// crashData is the data of an event. Each round has a large one, early enough to
// be killed over.
func crashData(round string, writer, n, part int) []byte {
	pad := ""
	if writer == 0 && n == 2 && part == 1 { // between two that are small
		pad = crashPad
	}
	return fmt.Appendf(nil, `"%s.%d.%d.%d%s"`, round, writer, n, part, pad)
}

// crashName returns an event's name, and whether its data is what it was.
func crashName(data []byte) (name string, whole bool) {
	name, rest := string(data), ""
	if at := strings.IndexRune(name, 'é'); at >= 0 {
		name, rest = name[:at]+`"`, name[at:]
	}
	large := strings.HasSuffix(name, `.0.2.1"`)
	return name, large && rest == crashPad+`"` || !large && rest == ""
}

// TestCrash kills a process again and again while it appends and decides, and
// looks in the file that it leaves for what was acknowledged. What was not may
// be there or not, but whole.
func TestCrash(t *testing.T) {
	rounds := 30 // make test-system PART=kills makes 500
	if text := os.Getenv("WINDIE_CRASH_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	c := crash{t: t, config: database.Config{File: filepath.Join(t.TempDir(), "windie.db")},
		answers: map[string]string{}, fresh: map[string]string{}, events: map[string]map[int64]string{}}
	c.forget()
	for round := range rounds {
		c.round(round)
		c.check(c.fresh)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	c.forget()
	c.check(c.answers)
	c.checkWhole()
	t.Logf("killed %d times: %d events acknowledged and %d kept, %d questions acknowledged, of which %d decided; none lost, doubled or torn",
		rounds, c.acknowledged, len(c.seen), len(c.answers), c.decided)
}

// crash is what a crash test knows was acknowledged.
type crash struct {
	t      *testing.T
	config database.Config

	events                map[string]map[int64]string // data, by stream and number, which check has not found yet
	answers, fresh        map[string]string           // by question, empty for one that was asked alone; all, and those of the round
	acknowledged, decided int

	read  map[string]int64  // how far each stream was read
	seen  map[string]string // where each data was read
	parts map[string]int    // how many events of each Append were read
}

// forget makes the next check read all from the beginning.
func (c *crash) forget() {
	c.read, c.seen, c.parts = map[string]int64{}, map[string]string{}, map[string]int{}
}

// round has a process work for a moment and kills it.
func (c *crash) round(round int) {
	child := startChild(c.t, "work", c.config.File, strconv.Itoa(round))
	var timer <-chan time.Time
	for {
		select {
		case line, ok := <-child.lines:
			if !ok {
				child.kill()
				return
			}
			c.note(line)
			if timer == nil { // it works
				timer = time.After(time.Duration(rand.IntN(120)) * time.Millisecond)
			}
		case <-timer:
			_ = child.cmd.Process.Kill() // what it has printed is still to be read
			timer = make(chan time.Time)
		}
	}
}

// note keeps what a line acknowledges. Each was written at once, so that there
// are no halves.
func (c *crash) note(line string) {
	word := strings.Fields(line)
	switch word[0] {
	case "asked":
		c.answers[word[1]], c.fresh[word[1]] = "", ""
	case "decided":
		c.answers[word[1]], c.fresh[word[1]] = word[2], word[2]
		c.decided++
	case "event":
		seq, err := strconv.ParseInt(word[2], 10, 64)
		if err != nil {
			c.t.Fatal(err)
		}
		if c.events[word[1]] == nil {
			c.events[word[1]] = map[int64]string{}
		}
		c.events[word[1]][seq] = word[3]
		c.acknowledged++
	}
}

// check reads what is new in the file, and some questions.
func (c *crash) check(answers map[string]string) {
	j := open(c.t, c.config)
	defer j.end(c.t)
	for s := range crashStreams {
		c.checkStream(j, fmt.Sprint("s", s))
	}
	for stream, missing := range c.events {
		for seq, data := range missing {
			c.t.Errorf("event %d of %s was acknowledged as %s and is lost", seq, stream, data)
		}
	}
	for id, value := range answers {
		d, err := j.Decision(c.t.Context(), id)
		if err != nil || (value != "" && (d.State != journal.Decided || string(d.Answer.Value) != value)) {
			c.t.Errorf("question %s was decided as %q and is %s as %s, %v", id, value, d.State, d.Answer.Value, err)
		}
	}
	clear(c.fresh)
}

func (c *crash) checkStream(j journal.Log, stream string) {
	for {
		events, err := j.Read(c.t.Context(), stream, c.read[stream], journal.MaxEvents)
		if err != nil {
			c.t.Fatal(err)
		}
		if len(events) == 0 {
			return
		}
		for _, e := range events {
			where := fmt.Sprint(stream, " ", e.Seq)
			data, whole := crashName(e.Data)
			if !whole {
				c.t.Errorf("%s, %s, is torn: it has %d bytes", where, data, len(e.Data))
			}
			if e.Seq != c.read[stream]+1 {
				c.t.Fatalf("%s comes after %d", where, c.read[stream])
			}
			if other, doubled := c.seen[data]; doubled {
				c.t.Errorf("%s is at %s and at %s", data, other, where)
			}
			if want, known := c.events[stream][e.Seq]; known && want != data {
				c.t.Errorf("%s is %s and was acknowledged as %s", where, data, want)
			}
			delete(c.events[stream], e.Seq)
			c.seen[data], c.read[stream] = where, e.Seq
			c.parts[data[:strings.LastIndex(data, ".")]]++
		}
	}
}

// checkWhole sees that of each Append all is there that is there.
func (c *crash) checkWhole() {
	for name, parts := range c.parts {
		n, err := strconv.Atoi(name[strings.LastIndex(name, ".")+1:])
		if err != nil || parts != 1+n%3 {
			c.t.Errorf("the Append %s has left %d of %d events, %v", name, parts, 1+n%3, err)
		}
	}
}
