package delegate_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/client/computer/process"
)

// The tests run this very program as the agent that a task is handed to: the variable says which of agents it is.
const agentVariable = "WINDIE_TEST_AGENT"

func TestMain(m *testing.M) {
	process.Supervise()
	if name := os.Getenv(agentVariable); name != "" {
		serveAgent(agents[name])
		return
	}
	goleak.VerifyTestMain(m)
}

// peer is an agent's end of the Agent Client Protocol, as far as these agents use it. It was written from the protocol's
// document.
type peer struct {
	mu       sync.Mutex
	asked    map[float64]chan json.RawMessage
	next     float64
	canceled map[string]chan struct{} // by sessions
	sessions int
	turns    int
}

// said is something that is said to an agent.
type said struct {
	*peer

	session  string
	number   int // of the session, from 1
	turn     int // from 1
	text     string
	canceled <-chan struct{}
}

func (p *peer) send(m map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m["jsonrpc"] = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(append(line, '\n'))
}

func (p *peer) update(session string, update map[string]any) {
	p.send(map[string]any{"method": "session/update", "params": map[string]any{"sessionId": session, "update": update}})
}

// say says something under the id of a message.
func (s said) say(id, text string) { s.sayIn(s.session, id, text) }

func (s said) sayIn(session, id, text string) {
	s.update(session, map[string]any{"sessionUpdate": "agent_message_chunk", "messageId": id, "content": map[string]any{"type": "text", "text": text}})
}

func (s said) tool(id, title, status string) {
	s.update(s.session, map[string]any{"sessionUpdate": "tool_call", "toolCallId": id, "title": title, "kind": "execute", "status": status})
}

func (s said) toolIs(id, status string) {
	s.update(s.session, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status})
}

// ask asks for permission, and returns which option was chosen, or cancelled.
func (s said) ask(title, kind string, input any) string {
	return s.offer(title, kind, input, map[string]any{"optionId": "always", "kind": "allow_always", "name": "Always"}, map[string]any{"optionId": "once", "kind": "allow_once", "name": "Once"},
		map[string]any{"optionId": "no", "kind": "reject_once", "name": "No"})
}

// offer is ask with options of its own.
func (s said) offer(title, kind string, input any, options ...any) string {
	s.mu.Lock()
	s.next++
	id, answer := s.next, make(chan json.RawMessage, 1)
	s.asked[id] = answer
	s.mu.Unlock()
	s.send(map[string]any{"id": id, "method": "session/request_permission", "params": map[string]any{
		"sessionId": s.session, "toolCall": map[string]any{"toolCallId": "ask" + fmt.Sprint(id), "title": title, "kind": kind, "status": "pending", "rawInput": input, "locations": []any{map[string]any{"path": "/somewhere/" + title}}},
		"options": options,
	}})
	var got struct {
		Outcome struct{ Outcome, OptionID string }
	}
	if err := json.Unmarshal(<-answer, &got); err != nil {
		panic(err)
	}
	return got.Outcome.Outcome + " " + got.Outcome.OptionID
}

// serveAgent serves an agent until its input ends. act acts on what is said, and returns why the turn ends.
func serveAgent(act func(said) string) {
	signal.Ignore(syscall.SIGTERM) // ends when it is killed
	p := &peer{asked: map[float64]chan json.RawMessage{}, canceled: map[string]chan struct{}{}}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m struct {
			ID     *float64
			Method string
			Params struct {
				SessionID string
				Prompt    []struct{ Text string }
			}
			Result json.RawMessage
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			panic(err)
		}
		switch m.Method {
		case "initialize":
			p.send(map[string]any{"id": *m.ID, "result": map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{}}})
		case "session/new":
			p.sessions++
			p.send(map[string]any{"id": *m.ID, "result": map[string]any{"sessionId": fmt.Sprint("s", p.sessions)}})
		case "session/prompt":
			p.turns++
			stop := make(chan struct{})
			p.canceled[m.Params.SessionID] = stop
			s := said{p, m.Params.SessionID, p.sessions, p.turns, m.Params.Prompt[0].Text, stop}
			go func() {
				reason := act(s)
				p.send(map[string]any{"id": *m.ID, "result": map[string]any{"stopReason": reason}})
				if s.turn == 1 && strings.Contains(s.text, "afterwards") {
					time.Sleep(300 * time.Millisecond)
					afterwards(s)
				}
			}()
		case "session/cancel":
			close(p.canceled[m.Params.SessionID])
		case "":
			p.mu.Lock()
			p.asked[*m.ID] <- m.Result
			p.mu.Unlock()
		}
	}
}

// afterwards is what an agent does behind the end of its turn.
func afterwards(s said) {
	s.toolIs("t1", "completed")
	write("late.txt")
	s.say("m1", "The tests pass, and `late.txt` is written.")
}

func write(name string) {
	if err := os.WriteFile(name, []byte("made\n"), 0o600); err != nil {
		panic(err)
	}
}

const endTurn = "end_turn"

// agents are the agents of the tests.
var agents = map[string]func(said) string{
	"offers no once": func(s said) string {
		always := map[string]any{"optionId": "always", "kind": "allow_always", "name": "Always"}
		never := map[string]any{"optionId": "never", "kind": "reject_always", "name": "Never"}
		no := map[string]any{"optionId": "no", "kind": "reject_once", "name": "No"}
		s.say("m1", fmt.Sprintf("It was answered with %s and %s.", s.offer("a.txt", "edit", nil, always, no), s.offer("b.txt", "edit", nil, always, never)))
		return endTurn
	},
	"works": func(s said) string {
		s.say("m1", "I'll write it.")
		s.tool("t1", "write hello.txt", "pending")
		if s.ask("hello.txt", "edit", map[string]any{"text": "made"}) != "selected once" {
			s.toolIs("t1", "failed")
			s.say("m2", "You did not allow it: nothing is there.")
			return endTurn
		}
		write("hello.txt")
		s.toolIs("t1", "completed")
		s.say("m2", "I wrote ")
		s.say("m2", "`hello.txt`.")
		return endTurn
	},
	"announces": func(s said) string {
		if s.turn == 1 {
			s.say("m1", "It is a small folder. Let me look at the files first.")
			return endTurn
		}
		write("done.txt")
		s.say("m2", "All is done: "+fmt.Sprint(strings.Contains(s.text, "Continue.")))
		return endTurn
	},
	"never": func(s said) string {
		s.say(fmt.Sprint("m", s.turn), "Next I'll begin:")
		return endTurn
	},
	"stuck": func(s said) string {
		if s.number == 1 {
			s.say("m1", "I begin. ")
			s.tool("t1", "count the files", "completed")
			write("half.txt")
			<-s.canceled
			return "cancelled"
		}
		s.sayIn("s1", "late", "I am late.")
		s.say("m1", "I am late too.")
		heard := strings.Contains(s.text, "created half.txt") && strings.Contains(s.text, "count the files (done)") && strings.Contains(s.text, "I begin.") && strings.HasSuffix(s.text, "The task:\nget stuck")
		s.say("m2", fmt.Sprint("Done at the second time; the history came: ", heard))
		return endTurn
	},
	"deaf": func(s said) string {
		if _, err := os.Stat("tried"); err == nil {
			s.say("m1", "Done by another program.")
			return endTurn
		}
		write("tried")
		select {}
	},
	"slow": func(s said) string {
		s.tool("t1", "run the tests", "in_progress")
		time.Sleep(1200 * time.Millisecond)
		s.toolIs("t1", "completed")
		s.say("m1", "The tests pass.")
		return endTurn
	},
	"builds": func(s said) string { // without a word, but files come
		for i := range 8 {
			time.Sleep(200 * time.Millisecond)
			write(fmt.Sprintf("part%d.o", i))
		}
		s.say("m1", "It is built.")
		return endTurn
	},
	"mute": func(s said) string {
		if s.turn == 1 {
			write("a.txt")
			write("b.txt")
			return endTurn
		}
		s.say("m1", "There are two texts; more was answered with "+s.ask("c.txt", "edit", nil)+".")
		return endTurn
	},
	"liar": func(s said) string {
		if s.turn == 2 {
			write("missing.txt")
			s.say("m2", "Now I created `missing.txt`.")
			return endTurn
		}
		s.say("m1", "I created `missing.txt`.")
		return endTurn
	},
	"liar always": func(s said) string {
		s.say(fmt.Sprint("m", s.turn), "I saved the list in `missing.txt`.")
		return endTurn
	},
	"afterwards": func(s said) string {
		s.say("m1", "I saved the result in late.txt.")
		return endTurn
	},
	"leaves a tool": func(s said) string {
		s.tool("t1", "run the tests", "in_progress")
		return endTurn
	},
	"dies": func(said) string {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(3)
		return ""
	},
	"waits": func(s said) string {
		s.say("m1", "I wait.")
		<-s.canceled
		write("stopped")
		return "cancelled"
	},
	"refuses": func(s said) string {
		s.say("m1", "That is not allowed.")
		return "refusal"
	},
	"talks": func(s said) string {
		for range 300 {
			s.say("m1", strings.Repeat("word ", 100))
		}
		s.say("m1", "The end.")
		return endTurn
	},
}
