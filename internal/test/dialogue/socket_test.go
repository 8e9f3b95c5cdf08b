package dialogue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/recorded"
)

// came makes frames of messages, with an envelope around each.
func came(messages ...string) []recorded.Frame {
	var frames []recorded.Frame
	for i, m := range messages {
		if !strings.HasPrefix(m, "close ") {
			m = fmt.Sprintf(`{"id":"id %d","timestamp":"now","seq":%d,"conversation_ref":"c",%s}`, i, 10+i, m)
		}
		frames = append(frames, recorded.Frame{Mark: recorded.FromServer, Text: m})
	}
	return frames
}

const (
	one   = `"type":"one","payload":{"n":1}`
	two   = `"type":"two","payload":{"n":2}`
	other = `"type":"two","payload":{"n":3}`
	fails = `"type":"error","payload":{"message":"no"}`
)

func said(text string) string {
	return fmt.Sprintf(`"type":"streaming-response","payload":{"text":%q}`, text)
}

func TestExpect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		want string
		came []recorded.Frame
		fine bool
	}{
		"in order":                             {"< {" + one + "}\n< {" + two + "}", came(one, two), true},
		"out of order":                         {"< {" + one + "}\n< {" + two + "}", came(two, one), false},
		"in any order":                         {"<~ {" + one + "}\n<~ {" + two + "}", came(two, one), true},
		"in any order, and before it":          {"< {" + one + "}\n<~ {" + two + "}\n<~ {" + other + "}", came(other, two, one), false},
		"in any order, one twice":              {"<~ {" + one + "}\n<~ {" + two + "}", came(two, two), false},
		"one is missing":                       {"< {" + one + "}\n< {" + two + "}", came(one), false},
		"another value":                        {"< {" + two + "}", came(other), false},
		"skipped":                              {"< …\n< {" + two + "}", came(one, one, two), true},
		"none to skip":                         {"< …\n< {" + two + "}", came(two), true},
		"recorded.Skipped up to another value": {"< …\n< {" + two + "}", came(one, other, two), false},
		"errors are not skipped":               {"< …\n< {" + two + "}", came(one, fails, two), false},
		"nothing behind what skips":            {"< …", came(one), false},
		"a part of the envelope":               {`< {"seq": 10, ` + one + "}", came(one), true},
		"another part of the envelope":         {`< {"seq": 11, ` + one + "}", came(one), false},
		"a value of which nothing said":        {`< {"type": "one", "payload": "…"}`, came(one), true},
		"a number by its name":                 {`< {"type": "one", "payload": {"n": "${n}"}}` + "\n" + `< {"type": "two", "payload": {"n": "${n}"}}`, came(one, two), false},
		"a remark":                             {"# Look:\n< {" + one + "}", came(one), true},
		"a text in pieces":                     {"< {" + said("Hello you") + "}\n< {" + one + "}", came(said("Hel"), said("lo "), said("you"), one), true},
		"half a text":                          {"< {" + said("Hello you") + "}\n< {" + one + "}", came(said("Hello "), one), false},
		"more than the text":                   {"< {" + said("Hello") + "}\n< {" + one + "}", came(said("Hello "), said("you"), one), false},
		"a close":                              {`< close 1008 unknown field "${f}"`, came(`close 1008 unknown field "x"`), true},
		"a close with another code":            {"< close 1008", came("close 1009"), false},
		"a close for a message":                {"< {" + one + "}", came("close 1000"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, wanted := recorded.ParseFrames(tt.want)
			s := &recorded.Listener{Vars: recorded.New(""), Next: tt.came, Wait: time.Millisecond}
			if err := s.Expect(wanted); (err == nil) != tt.fine {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What is wrong with an envelope is found, though dialogues do not show it.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	const id, now = `"id":"123e4567-e89b-12d3-a456-426614174000"`, `"timestamp":"2025-01-20T10:00:00Z"`
	for text, fine := range map[string]bool{
		"{" + id + "," + now + "}":                                true,
		"{" + id + "," + now + `,"seq":9,"conversation_ref":"c"}`: true,
		"{" + id + "," + now + `,"seq":8,"conversation_ref":"c"}`: true,
		"{" + id + "," + now + `,"seq":7,"conversation_ref":"c"}`: false,
		"{" + id + "," + now + `,"seq":7,"conversation_ref":"d"}`: true,
		"{" + id + "," + now + `,"seq":9}`:                        false,
		"{" + now + "}":                                           false,
		"{" + id + "}":                                            false,
		`{"id":"used",` + now + "}":                               false,
		"{" + id + `,"timestamp":1}`:                              false,
		`{"id":"1",` + now + "}":                                  false,
		"close 1000 all is well":                                  true,
	} {
		t.Run(fmt.Sprintf("%.60q", text), func(t *testing.T) {
			s := &socket{ids: map[string]bool{"used": true}, seqs: map[string]float64{"c": 8}}
			if err := s.check(recorded.Frame{Mark: recorded.FromServer, Text: text}); (err == nil) != fine {
				t.Errorf("%s: %v", text, err)
			}
		})
	}
}

// Frames are written as they were read.
func TestFormatFrames(t *testing.T) {
	t.Parallel()
	text := "GET /ws\nOrigin: null\n\n# First,\n# a word.\n> {\n  \"a\": 1\n}\n< …\n<~ {\"b\": 2}\n<~ {\"b\": 3}\n\n> close 1000\n< close 1000\n"
	if got := formatFrames(recorded.ParseFrames(text)); got != text {
		t.Errorf("got\n%s", got)
	}
}

// What is recorded is what came, in the order of its fields; what was left open
// stays open, and what varies gets a name.
func TestRecorded(t *testing.T) {
	t.Parallel()
	_, wanted := recorded.ParseFrames("# Look:\n< …\n" +
		`< {"type": "two", "payload": {"n": 9, "list": ["…"], "any": "…"}, "seq": "${seq}"}` + "\n" + `< {"type": "gone"}`)
	s := &socket{Listener: recorded.Listener{Vars: recorded.New("")}}
	got := s.recorded(wanted, came(one, `"type":"two","payload":{"z":"turn_abcdefghijklmnopqrstuvwxyz","n":2,"list":[1,2],"any":{"a":1}}`, fails))
	want := "# Look:\n< …\n" + `< {"seq": "${seq}", "type": "two", "payload": {"z": "${turn}", "n": 2, "list": ["…"], "any": "…"}}` + "\n" +
		`< {"type": "error", "payload": {"message": "no"}}` + "\n"
	if text := formatFrames("", got); text != want {
		t.Errorf("got\n%s", text)
	}
}
