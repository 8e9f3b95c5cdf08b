package desktop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// desktopOf is a client that knows the documented messages alone: it says what
// it last said again when it has lost its connection, and does what it is asked
// when it is asked.
type desktopOf struct {
	t       *testing.T
	url     string
	query   string // the payload
	result  string // the last one that it sent; empty for none
	pressed map[string]int
	heard   int // messages
}

// talk goes through a conversation on one connection, which is cut after cut
// messages, 0 for never. It reports whether the turn has ended.
func (d *desktopOf) talk(cut int) (done bool) {
	d.t.Helper()
	p := doorstest.Dial(d.t, d.url, doorstest.Hello)
	defer p.Conn.NetConn().Close()
	if d.result != "" {
		p.Send(sdkapi.WSToolResult, d.result)
	} else {
		p.Send(sdkapi.WSQuery, d.query)
	}
	if cut == 1 {
		d.untilRead(p.Conn) // else it may come after what is said again
	}
	for n := 1; n != cut; n++ {
		switch m := p.Next(); m.Type {
		case sdkapi.WSToolCall:
			var call sdkapi.WSToolCallPayload
			if err := json.Unmarshal(m.Payload, &call); err != nil {
				d.t.Fatal(err)
			}
			if !call.Answered {
				d.pressed[call.RequestID]++
			}
			d.result = fmt.Sprintf(`{"request_id":%q,"success":true,"data":{"output":"Pressed"},"error":null}`, call.RequestID)
			if n+1 == cut {
				return false // it was done, and nobody knows yet
			}
			p.Send(sdkapi.WSToolResult, d.result)
		case sdkapi.WSStreamingComplete:
			d.heard = n
			return true
		}
	}
	return false
}

// untilRead returns when the gateway has read what was sent: it answers pings in order.
func (d *desktopOf) untilRead(conn *websocket.Conn) {
	d.t.Helper()
	answered := false
	conn.SetPongHandler(func(string) error { answered = true; return conn.SetReadDeadline(time.Now()) })
	if err := conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(10*time.Second)); err != nil {
		d.t.Fatal(err)
	}
	for err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err == nil; {
		_, _, err = conn.ReadMessage()
	}
	if !answered {
		d.t.Fatal("a ping was not answered")
	}
}

// A client that knows the documented messages alone ends its conversation
// wherever its connection is cut, and does nothing twice.
func TestWSCutAnywhere(t *testing.T) {
	t.Parallel()
	url := talking(t)
	whole := &desktopOf{t: t, url: url, query: `{"text":"press a","conversation_ref":"whole"}`, pressed: map[string]int{}}
	if !whole.talk(0) {
		t.Fatal("the turn has not ended")
	}
	for cut := 1; cut <= whole.heard+1; cut++ {
		t.Run(fmt.Sprint("behind ", cut-1), func(t *testing.T) {
			t.Parallel()
			d := &desktopOf{t: t, url: url, query: fmt.Sprintf(`{"text":"press a","conversation_ref":"%d %s"}`, cut, uuid.NewString()), pressed: map[string]int{}}
			if !d.talk(cut) && !d.talk(0) {
				t.Fatal("the turn has not ended")
			}
			times := 0
			for _, n := range d.pressed {
				times += n
			}
			if times != 1 {
				t.Errorf("the key was pressed %d times: %v", times, d.pressed)
			}
		})
	}
}

// One message that comes on two connections at once, the older of which broke, begins one turn, and is
// refused on neither.
func TestWSSaidTwiceAtOnce(t *testing.T) {
	t.Parallel()
	url := talking(t)
	for n := range 20 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			said := fmt.Sprintf(`{"id":%q,"type":"query","payload":{"text":"hello","conversation_ref":"twice %d"}}`, uuid.NewString(), n)
			older, newer := doorstest.Dial(t, url, doorstest.Hello), doorstest.Dial(t, url, doorstest.Hello)
			older.Raw(said)
			newer.Raw(said)
			turns := map[string]bool{}
			for _, p := range []*doorstest.Peer{older, newer} {
				for _, m := range p.Until(sdkapi.WSStreamingComplete) {
					if m.Type == sdkapi.WSError {
						t.Fatalf("it is refused: %s", m.Payload)
					}
					if m.TurnRef != "" {
						turns[m.TurnRef] = true
					}
				}
			}
			if len(turns) != 1 {
				t.Errorf("turns %v, want one", turns)
			}
		})
	}
}

// A client that comes to a turn hears of what the turn waits for by whatever it
// says, and by what is a refusal too.
func TestWSComesToATurn(t *testing.T) {
	t.Parallel()
	for kind, payload := range map[string]string{
		sdkapi.WSQuery:     `{"text":"hello","conversation_ref":"c1"}`,
		sdkapi.WSRehydrate: `{"conversation_ref":"c1","messages":[]}`,
		sdkapi.WSCancel:    `{"conversation_ref":"c1"}`,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			url := talking(t)
			p := doorstest.Dial(t, url, doorstest.Hello)
			p.Send(sdkapi.WSQuery, `{"text":"click 10, 20, then press a","conversation_ref":"c1"}`)
			asked := p.Until(sdkapi.WSToolBundle)
			_ = p.Conn.NetConn().Close()

			p = doorstest.Dial(t, url, doorstest.Hello)
			p.Send(kind, payload)
			want := map[string]string{sdkapi.WSError: "", sdkapi.WSToolBundle: string(asked[len(asked)-1].Payload)}
			if kind == sdkapi.WSCancel { // what waits is given up
				want = map[string]string{sdkapi.WSStreamingComplete: "{}"}
			}
			for len(want) > 0 {
				m := p.Next()
				if payload, wanted := want[m.Type]; wanted && payload != "" && payload != string(m.Payload) {
					t.Errorf("%s: %s, want %s", m.Type, m.Payload, payload)
				}
				delete(want, m.Type)
				if kind == sdkapi.WSCancel && m.Type == sdkapi.WSToolBundle {
					t.Errorf("a client that cancels is asked: %s", m.Payload)
				}
			}
		})
	}
}

// A query that a client says again on a new connection, under the same id, is
// the one that it said: its turn is sent from the beginning, whether it goes on
// or has ended, and begins no other. What was answered is not asked again.
func TestWSQueryAgain(t *testing.T) {
	t.Parallel()
	url := talking(t)
	query := fmt.Sprintf(`{"id":%q,"type":"query","payload":{"text":"press a","conversation_ref":"c1"}}`, uuid.NewString())
	again := func(last string) (p *doorstest.Peer, kinds []string, told sdkapi.WSMessage) {
		p = doorstest.Dial(t, url, doorstest.Hello)
		p.Raw(query)
		list := p.Until(last)
		for _, m := range list {
			kinds = append(kinds, m.Type)
		}
		return p, kinds, list[len(list)-1]
	}
	_, first, asked := again(sdkapi.WSToolCall)
	p, second, same := again(sdkapi.WSToolCall)
	if !slices.Equal(first, second) || asked.TurnRef != same.TurnRef || string(asked.Payload) != string(same.Payload) {
		t.Errorf("while the call waits, it is told\n%v %v\nwhere it was\n%v %v", second, same, first, asked)
	}
	var call sdkapi.WSToolCallPayload
	if err := json.Unmarshal(same.Payload, &call); err != nil {
		t.Fatal(err)
	}
	p.Send(sdkapi.WSToolResult, fmt.Sprintf(`{"request_id":%q,"success":true,"data":{"output":"Pressed"},"error":null}`, call.RequestID))
	p.Until(sdkapi.WSStreamingComplete)
	p, third, end := again(sdkapi.WSStreamingComplete)
	if slices.Contains(third, sdkapi.WSToolCall) || !slices.Contains(third, sdkapi.WSToolOutput) || end.TurnRef != asked.TurnRef {
		t.Errorf("behind the end it is told %v of turn %s, not of %s", third, end.TurnRef, asked.TurnRef)
	}

	// The same words under another id are a new message.
	p.Send(sdkapi.WSQuery, `{"text":"press a","conversation_ref":"c1"}`)
	if list := p.Until(sdkapi.WSToolCall); list[len(list)-1].TurnRef == asked.TurnRef {
		t.Error("another message began no turn")
	}
}

// What is sent again of the past says of each request whether somebody still
// waits for it: of one in a turn that has ended nobody does, answered or not.
func TestWSToldAgain(t *testing.T) {
	t.Parallel()
	url := talking(t)
	p := doorstest.Dial(t, url, doorstest.Hello)
	p.Send(sdkapi.WSQuery, `{"text":"press a","conversation_ref":"c1"}`)
	p.Until(sdkapi.WSToolCall)
	again := func(seq int64) (answered []bool) {
		q := doorstest.Dial(t, url, doorstest.Hello)
		q.Send(sdkapi.WSResume, fmt.Sprintf(`{"conversation_ref":"c1","seq":%d}`, seq))
		last := p.Seq("c1")
		for {
			m := q.Next()
			var told struct{ Answered bool }
			if m.Type == sdkapi.WSToolCall && json.Unmarshal(m.Payload, &told) == nil {
				answered = append(answered, told.Answered)
			}
			if m.Seq >= last {
				return answered
			}
		}
	}
	if got := again(0); fmt.Sprint(got) != "[false]" {
		t.Errorf("of a call that waits: answered %v", got)
	}
	p.Send(sdkapi.WSCancel, `{"conversation_ref":"c1"}`)
	for p.Next().Type != sdkapi.WSStreamingComplete {
	}
	if got := again(0); fmt.Sprint(got) != "[true]" {
		t.Errorf("of a call that was given up: answered %v", got)
	}
}
