package doors_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What follows is a client of the general agent service as somebody writes it
// who has the document alone: sockets, and HTTP by hand. Nothing of ours, nor
// of net/http, is in it.

// v1Patience bounds what the client waits for.
const v1Patience = 2 * time.Minute

// rawAnswer is the head of an answer, and its body as it comes.
type rawAnswer struct {
	status int
	header map[string]string // by names in lower case
	body   *rawBody
	conn   net.Conn
}

// rawBody reads a body that is as long as it says, or comes in chunks.
type rawBody struct {
	from    *bufio.Reader
	chunked bool
	left    int // of the body, or of the chunk
	ended   bool
}

// line reads a line that ends with CR and LF.
func line(r *bufio.Reader) (string, error) {
	text, err := r.ReadString('\n')
	if err == nil && !strings.HasSuffix(text, "\r\n") {
		err = fmt.Errorf("a line without its end: %q", text)
	}
	return strings.TrimSuffix(text, "\r\n"), err
}

// next reads one byte. An answer that breaks off is io.ErrUnexpectedEOF.
func (b *rawBody) next() (byte, error) {
	if b.left == 0 && b.chunked && !b.ended {
		size, err := line(b.from)
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		n, err := strconv.ParseInt(size, 16, 32)
		if err != nil {
			return 0, err
		}
		b.left, b.ended = int(n), n == 0
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	c, err := b.from.ReadByte()
	if err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	if b.left--; b.left == 0 && b.chunked { // its end belongs to it
		if end, err := line(b.from); err != nil || end != "" {
			return 0, io.ErrUnexpectedEOF
		}
	}
	return c, nil
}

func (b *rawBody) all() (string, error) {
	var text strings.Builder
	for {
		c, err := b.next()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return text.String(), err
		}
		text.WriteByte(c)
	}
}

// rawDial connects, for as long as the test is patient.
func rawDial(addr string) (net.Conn, error) {
	conn, err := net.DialTimeout("tcp", addr, v1Patience)
	if err != nil {
		return nil, err
	}
	return conn, conn.SetDeadline(time.Now().Add(v1Patience))
}

// rawSend writes a request.
func rawSend(conn net.Conn, addr, method, target, body string, headers ...string) error {
	head := method + " " + target + " HTTP/1.1\r\nHost: " + addr + "\r\n" + strings.Join(append(headers, ""), "\r\n")
	if body != "" {
		head += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	_, err := io.WriteString(conn, head+"\r\n"+body)
	return err
}

// rawHead reads the head of an answer.
func rawHead(conn net.Conn) (*rawAnswer, error) {
	a := &rawAnswer{header: map[string]string{}, conn: conn, body: &rawBody{from: bufio.NewReaderSize(conn, 16)}} // what it has not read is unread
	start, err := line(a.body.from)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscanf(start, "HTTP/1.1 %d", &a.status); err != nil {
		return nil, fmt.Errorf("%q: %w", start, err)
	}
	for {
		text, err := line(a.body.from)
		if err != nil {
			return nil, err
		}
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ":")
		a.header[strings.ToLower(name)] = strings.TrimSpace(value)
	}
	a.body.chunked = a.header["transfer-encoding"] == "chunked"
	if length := a.header["content-length"]; length != "" {
		a.body.left, err = strconv.Atoi(length)
	}
	return a, err
}

// rawEvents reads server-sent events.
type rawEvents struct {
	body     *rawBody
	comments []string
}

// next returns the next event. Before each of its bytes, stop gets the number of the
// event's bytes that there are yet, and says whether to give up.
func (r *rawEvents) next(stop func(read int) bool) (e event, err error) {
	var text []byte
	for read := 0; ; read++ {
		if stop(read) {
			return e, errLeft
		}
		c, err := r.body.next()
		if err != nil {
			return e, err
		}
		if c != '\n' {
			text = append(text, c)
			continue
		}
		field, value, _ := strings.Cut(string(text), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case len(text) == 0 && e.kind != "":
			return e, nil
		case len(text) == 0:
			read = -1 // a comment is no event
		case field == "":
			r.comments = append(r.comments, value)
		case field == "id":
			e.id = value
		case field == "event":
			e.kind = value
		case field == "data":
			e.data += value
		}
		text = nil
	}
}

// errLeft is why a client that leaves reads no further.
var errLeft = errors.New("the client has left")

// deskClient is such a client: it says something, runs the tools that it is asked
// for, and hears the answer, however often its connection breaks.
type deskClient struct {
	t       *testing.T
	addr    string
	headers []string
	session string
	message string // the body of POST /v1/chat

	// breaks says whether the connection breaks at a place of the stream: behind
	// events events, and bytes bytes of the next one. resume says
	// that the client comes back by GET /v1/stream with Last-Event-ID, and not by
	// its message. loses says whether a result is posted and its answer lost,
	// before it is posted again: whole, or only half of the request.
	breaks func(events, bytes int) bool
	resume bool
	loses  string

	// forgets says that the client remembers no calls: it runs what it is asked
	// for as it hears of it, unless that was answered.
	forgets bool

	// pauses is the call at whose request the client leaves: before it runs the
	// tool or, with late, before it posts the result.
	pauses string
	late   bool

	lastID   string
	lastData string            // of the event that until has found
	text     string            // the pieces heard
	final    string            // the last words
	failed   string            // the data of an error
	ran      map[string]int    // how often each tool was run, by the call's id
	results  map[string]string // what came of it
	accepted map[string]string // results that were, by the same
	heard    []event           // of the turn, since it was sent from its beginning
	order    []string          // the tools in the order in which they were run
	replays  int               // how often it has come back
}

// begun makes a session, whose only tool opens apps.
func begun(t *testing.T, addr string, headers ...string) *deskClient {
	t.Helper()
	d := &deskClient{t: t, addr: addr, headers: headers, ran: map[string]int{}, results: map[string]string{}, accepted: map[string]string{}}
	status, body := d.ask("POST", "/v1/sessions", `{"jarvis_session_id":"j_abc","tools":{"version":1,"tools":[
		{"name":"open_app","description":"Opens an app.","schema":{"type":"object","properties":{"app_id":{"type":"string"}}}}]}}`)
	var made struct {
		ID string `json:"general_session_id"`
	}
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 200 || made.ID == "" {
		t.Fatalf("no session: %d %s", status, body)
	}
	d.session = made.ID
	d.message = d.chat("Plan my week", true)
	return d
}

func (d *deskClient) chat(text string, stream bool) string {
	return fmt.Sprintf(`{"general_session_id":%q,"mode":"general","message":{"parts":[{"type":"text","text":%q}]},"stream":%v}`, d.session, text, stream)
}

// ask sends a request over a connection of its own, and returns the answer.
func (d *deskClient) ask(method, target, body string) (status int, answer string) {
	d.t.Helper()
	a, err := d.open(method, target, body)
	if err != nil {
		d.t.Fatalf("%s %s: %v", method, target, err)
	}
	defer a.conn.Close()
	text, err := a.body.all()
	if err != nil {
		d.t.Fatalf("%s %s: %v", method, target, err)
	}
	return a.status, text
}

func (d *deskClient) open(method, target, body string, headers ...string) (*rawAnswer, error) {
	conn, err := rawDial(d.addr)
	if err != nil {
		return nil, err
	}
	if err = rawSend(conn, d.addr, method, target, body, append(headers, d.headers...)...); err == nil {
		var a *rawAnswer
		if a, err = rawHead(conn); err == nil {
			return a, nil
		}
	}
	_ = conn.Close()
	return nil, err
}

// converse hears the turn to its end.
func (d *deskClient) converse() {
	d.t.Helper()
	for again := false; d.final == "" && d.failed == ""; again = true {
		d.listen(again)
	}
}

// listen hears the stream until it ends or breaks, and runs what is asked for.
func (d *deskClient) listen(again bool) {
	d.t.Helper()
	a, err := d.back(again)
	if err != nil {
		d.t.Fatal(err)
	}
	defer a.conn.Close()
	if a.status != 200 || a.header["content-type"] != "text/event-stream" {
		text, _ := a.body.all()
		d.t.Fatalf("no stream: %d %s", a.status, text)
	}
	events := rawEvents{body: a.body}
	for heard := 0; d.final == "" && d.failed == ""; heard++ {
		e, err := events.next(func(read int) bool { return d.breaks != nil && d.breaks(heard, read) })
		if errors.Is(err, errLeft) {
			_ = a.conn.Close()
			return
		}
		if err != nil {
			d.t.Fatalf("the stream broke by itself behind %q: %v", d.lastID, err)
		}
		if d.pauses != "" && e.kind == "tool.request" && strings.Contains(e.data, d.pauses) {
			d.take(e)
			return
		}
		if d.breaks != nil && d.breaks(heard, whole) { // what was heard is acted upon all the same
			_ = a.conn.Close()
			d.take(e)
			return
		}
		d.take(e)
	}
}

// whole is the number of bytes that stands for an event that was heard whole.
const whole = -1

// back begins to listen, or does it again.
func (d *deskClient) back(again bool) (*rawAnswer, error) {
	if again {
		d.replays++
	}
	if again && d.resume && d.lastID != "" {
		return d.open("GET", "/v1/stream?general_session_id="+d.session, "", "Last-Event-ID: "+d.lastID)
	}
	d.text, d.heard = "", nil // the turn is sent from its beginning
	return d.open("POST", "/v1/chat", d.message)
}

// take does what an event asks for.
func (d *deskClient) take(e event) {
	d.t.Helper()
	before := d.lastID
	d.lastID, d.heard = e.id, append(d.heard, e)
	var data struct {
		ID, Name, Text    string
		Restart, Answered bool
		Arguments         struct {
			App string `json:"app_id"`
		}
	}
	if err := json.Unmarshal([]byte(e.data), &data); err != nil || e.id == "" {
		d.t.Fatalf("event %v: %v", e, err)
	}
	switch e.kind {
	case "assistant.delta":
		if data.Restart {
			d.text = ""
		}
		d.text += data.Text
	case "tool.request":
		if d.forgets && !data.Answered {
			delete(d.results, data.ID)
			delete(d.accepted, data.ID)
		} else if d.forgets {
			break
		}
		if d.run(data.ID, data.Arguments.App); data.ID == d.pauses {
			d.lastID, d.heard = before, d.heard[:len(d.heard)-1] // it is to be sent again
		}
	case "assistant.final":
		d.final = data.Text
	case "error":
		d.failed = e.data
	}
}

// run runs a tool, unless it has, and posts the result until it was accepted.
func (d *deskClient) run(id, app string) {
	d.t.Helper()
	if d.pauses == id && !d.late {
		return
	}
	if d.results[id] == "" {
		d.ran[id]++
		d.order = append(d.order, app)
		d.results[id] = "opened " + app
	}
	if d.pauses != id && d.accepted[id] == "" {
		d.post(id, d.results[id])
	}
}

// post posts a result, and again where the answer is lost.
func (d *deskClient) post(id, result string) {
	d.t.Helper()
	body := fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":%q,"ok":true,"result":%q,"error":null}}`, d.session, id, result)
	if d.loses != "" {
		d.lose(body)
	}
	if status, text := d.ask("POST", "/v1/tools/result", body); status != 200 || strings.TrimSpace(text) != `{"accepted":true}` {
		d.t.Fatalf("the result of %s: %d %s", id, status, text)
	}
	d.accepted[id] = result
}

// lose posts a result, or half of it, and leaves without the answer.
func (d *deskClient) lose(body string) {
	d.t.Helper()
	conn, err := rawDial(d.addr)
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close()
	sent := body
	if d.loses == "half of the request" {
		sent = body[:len(body)/2]
	}
	head := fmt.Sprintf("POST /v1/tools/result HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n",
		d.addr, len(body), strings.Join(append(d.headers, ""), "\r\n"))
	if _, err := io.WriteString(conn, head+sent); err != nil {
		d.t.Fatal(err)
	}
	if d.loses == "the answer's second half" {
		if _, err := io.ReadFull(conn, make([]byte, 20)); err != nil {
			d.t.Fatal(err)
		}
	}
}
