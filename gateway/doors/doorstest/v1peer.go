package doorstest

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

// The code below is a client of the general agent service. It follows the document alone and uses only sockets: it
// shares no code with the gateway, the SDK or net/http.

// V1Patience is the time after which the client of the general agent service gives up waiting.
const V1Patience = 2 * time.Minute

// RawAnswer is a response: its status, its headers, and its body as a stream.
type RawAnswer struct {
	Status int
	header map[string]string // by names in lower case
	Body   *rawBody
	Conn   net.Conn
}

// rawBody reads a body with a content length, or a chunked one.
type rawBody struct {
	from    *bufio.Reader
	chunked bool
	left    int // bytes left of the body, or of the chunk
	ended   bool
}

// line reads a line that ends with CR LF, and returns it without them.
func line(r *bufio.Reader) (string, error) {
	text, err := r.ReadString('\n')
	if err == nil && !strings.HasSuffix(text, "\r\n") {
		err = fmt.Errorf("the line does not end with CR LF: %q", text)
	}
	return strings.TrimSuffix(text, "\r\n"), err
}

// Next returns the next byte of the body. At the end of the body the error is io.EOF. If the connection breaks before
// that, the error is io.ErrUnexpectedEOF.
func (b *rawBody) Next() (byte, error) {
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
	if b.left--; b.left == 0 && b.chunked { // the CR LF behind a chunk belongs to it
		if end, err := line(b.from); err != nil || end != "" {
			return 0, io.ErrUnexpectedEOF
		}
	}
	return c, nil
}

// All reads the body to its end. If it fails, it returns the error and the part of the body before it.
func (b *rawBody) All() (string, error) {
	var text strings.Builder
	for {
		c, err := b.Next()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return text.String(), err
		}
		text.WriteByte(c)
	}
}

// RawDial connects to addr. All reads and writes fail after V1Patience.
func RawDial(addr string) (net.Conn, error) {
	conn, err := net.DialTimeout("tcp", addr, V1Patience)
	if err != nil {
		return nil, err
	}
	return conn, conn.SetDeadline(time.Now().Add(V1Patience))
}

// RawSend writes a request to conn. Each header is a whole line without CR LF. If body is empty, the request has no
// Content-Type header.
func RawSend(conn net.Conn, addr, method, target, body string, headers ...string) error {
	head := method + " " + target + " HTTP/1.1\r\nHost: " + addr + "\r\n" + strings.Join(append(headers, ""), "\r\n")
	if body != "" {
		head += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	_, err := io.WriteString(conn, head+"\r\n"+body)
	return err
}

// RawHead reads the status and the headers of a response. It leaves the body unread, except for at most 16 bytes in a
// buffer.
func RawHead(conn net.Conn) (*RawAnswer, error) {
	a := &RawAnswer{header: map[string]string{}, Conn: conn, Body: &rawBody{from: bufio.NewReaderSize(conn, 16)}} // what it has not read is unread
	start, err := line(a.Body.from)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscanf(start, "HTTP/1.1 %d", &a.Status); err != nil {
		return nil, fmt.Errorf("%q: %w", start, err)
	}
	for {
		text, err := line(a.Body.from)
		if err != nil {
			return nil, err
		}
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ":")
		a.header[strings.ToLower(name)] = strings.TrimSpace(value)
	}
	a.Body.chunked = a.header["transfer-encoding"] == "chunked"
	if length := a.header["content-length"]; length != "" {
		a.Body.left, err = strconv.Atoi(length)
	}
	return a, err
}

// RawEvents reads server-sent events. It also collects the comment lines of the stream.
type RawEvents struct {
	Body     *rawBody
	comments []string
}

// Next returns the next event. Before each byte, it calls the function stop with the number of bytes that it has
// already read of this event. If stop returns true, Next fails with ErrLeft.
func (r *RawEvents) Next(stop func(read int) bool) (e Event, err error) {
	var text []byte
	for read := 0; ; read++ {
		if stop(read) {
			return e, ErrLeft
		}
		c, err := r.Body.Next()
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
		case len(text) == 0 && e.Kind != "":
			return e, nil
		case len(text) == 0:
			read = -1 // a comment is no event
		case field == "":
			r.comments = append(r.comments, value)
		case field == "id":
			e.Id = value
		case field == "event":
			e.Kind = value
		case field == "data":
			e.Data += value
		}
		text = nil
	}
}

// ErrLeft is the error of a client that stops reading on purpose.
var ErrLeft = errors.New("the client has left")

// DeskClient is a client of the general agent service. It sends a message, runs the tools that the agent calls, and
// reads the response. It reconnects whenever its connection breaks.
type DeskClient struct {
	T       *testing.T
	Addr    string
	Headers []string
	Session string
	Message string // the body of the request POST /v1/chat

	// Breaks decides where the connection breaks. Its parameters say how many events the client has read, and how many
	// bytes of the next event. If it returns true, the connection breaks at this position. Nil means that the connection
	// never breaks. After a break the client reconnects. If Resume is set, it sends GET /v1/stream with Last-Event-ID.
	// Otherwise it sends its message again.
	//
	// Loses makes the client post each result twice. The first time, it closes the connection too early. If Loses is
	// "half of the request", the client sends half of the body before it closes the connection. If Loses is "the
	// answer's second half", the client reads the first bytes of the response before it closes the connection. If Loses
	// is another text, the client reads none of the response. If Loses is empty, the client posts each result once.
	Breaks func(events, bytes int) bool
	Resume bool
	Loses  string

	// Forgets makes the client forget its calls. It then runs each requested tool again, unless the request is marked
	// as answered.
	Forgets bool

	// Pauses is the id of a tool call. The client disconnects when the agent requests this call. It disconnects
	// before it runs the tool or, if Late is set, before it posts the result.
	Pauses string
	Late   bool

	LastID   string
	LastData string            // data of the event that Until has found
	text     string            // all deltas, joined
	Final    string            // the last text of the turn; empty until it arrives
	Failed   string            // the data of an error event; empty if there is none
	ran      map[string]int    // how often each tool was run, by the call's id
	results  map[string]string // results, by the call's id
	accepted map[string]string // results that the gateway accepted, by the call's id
	Heard    []Event           // events of the turn; cleared when the gateway sends the turn from its beginning
	order    []string          // the apps that the tools opened, in order
	Replays  int               // how often the client has reconnected
}

// Begun creates a session and returns its client. The only tool of the session opens apps.
func Begun(t *testing.T, addr string, headers ...string) *DeskClient {
	t.Helper()
	d := &DeskClient{T: t, Addr: addr, Headers: headers, ran: map[string]int{}, results: map[string]string{}, accepted: map[string]string{}}
	status, body := d.Ask("POST", "/v1/sessions", `{"jarvis_session_id":"j_abc","tools":{"version":1,"tools":[
		{"name":"open_app","description":"Opens an app.","schema":{"type":"object","properties":{"app_id":{"type":"string"}}}}]}}`)
	var made struct {
		ID string `json:"general_session_id"`
	}
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 200 || made.ID == "" {
		t.Fatalf("no session: %d %s", status, body)
	}
	d.Session = made.ID
	d.Message = d.Chat("Plan my week", true)
	return d
}

// Chat returns the body of POST /v1/chat for a message without an id.
func (d *DeskClient) Chat(text string, stream bool) string {
	return d.Named("", text, stream)
}

// Named returns the body of POST /v1/chat for a message with an id. If id is empty, the message has no id.
func (d *DeskClient) Named(id, text string, stream bool) string {
	if id != "" {
		id = fmt.Sprintf(`"id":%q,`, id)
	}
	return fmt.Sprintf(`{"general_session_id":%q,"mode":"general","message":{%s"parts":[{"type":"text","text":%q}]},"stream":%v}`, d.Session, id, text, stream)
}

// Ask sends a request on a new connection, and returns the status and the body.
func (d *DeskClient) Ask(method, target, body string) (status int, answer string) {
	d.T.Helper()
	a, err := d.Open(method, target, body)
	if err != nil {
		d.T.Fatalf("%s %s: %v", method, target, err)
	}
	defer a.Conn.Close()
	text, err := a.Body.All()
	if err != nil {
		d.T.Fatalf("%s %s: %v", method, target, err)
	}
	return a.Status, text
}

// Open sends a request on a new connection and reads the head of the response. The caller closes the Conn of the
// answer.
func (d *DeskClient) Open(method, target, body string, headers ...string) (*RawAnswer, error) {
	conn, err := RawDial(d.Addr)
	if err != nil {
		return nil, err
	}
	if err = RawSend(conn, d.Addr, method, target, body, append(headers, d.Headers...)...); err == nil {
		var a *RawAnswer
		if a, err = RawHead(conn); err == nil {
			return a, nil
		}
	}
	_ = conn.Close()
	return nil, err
}

// Converse reads the turn to its end, over as many connections as necessary.
func (d *DeskClient) Converse() {
	d.T.Helper()
	for again := false; d.Final == "" && d.Failed == ""; again = true {
		d.Listen(again)
	}
}

// Listen reads the stream until it ends or breaks, and runs the tools that the agent requests. If again is true, the
// turn has already started.
func (d *DeskClient) Listen(again bool) {
	d.T.Helper()
	a, err := d.back(again)
	if err != nil {
		d.T.Fatal(err)
	}
	defer a.Conn.Close()
	if a.Status != 200 || a.header["content-type"] != "text/event-stream" {
		text, _ := a.Body.All()
		d.T.Fatalf("no stream: %d %s", a.Status, text)
	}
	events := RawEvents{Body: a.Body}
	for heard := 0; d.Final == "" && d.Failed == ""; heard++ {
		e, err := events.Next(func(read int) bool { return d.Breaks != nil && d.Breaks(heard, read) })
		if errors.Is(err, ErrLeft) {
			_ = a.Conn.Close()
			return
		}
		if err != nil {
			d.T.Fatalf("the stream broke by itself behind %q: %v", d.LastID, err)
		}
		if d.Pauses != "" && e.Kind == "tool.request" && strings.Contains(e.Data, d.Pauses) {
			d.take(e)
			return
		}
		if d.Breaks != nil && d.Breaks(heard, Whole) { // the client still acts on the event
			_ = a.Conn.Close()
			d.take(e)
			return
		}
		d.take(e)
	}
}

// Whole is a value for the second parameter of Breaks. It means that the client has read the whole event.
const Whole = -1

// back starts the turn or, with again, reconnects to it.
func (d *DeskClient) back(again bool) (*RawAnswer, error) {
	if again {
		d.Replays++
	}
	if again && d.Resume && d.LastID != "" {
		return d.Open("GET", "/v1/stream?general_session_id="+d.Session, "", "Last-Event-ID: "+d.LastID)
	}
	d.text, d.Heard = "", nil // the turn is sent from its beginning
	return d.Open("POST", "/v1/chat", d.Message)
}

// take handles an event: it collects text, runs a requested tool, or ends the turn.
func (d *DeskClient) take(e Event) {
	d.T.Helper()
	before := d.LastID
	d.LastID, d.Heard = e.Id, append(d.Heard, e)
	var data struct {
		ID, Name, Text    string
		Restart, Answered bool
		Arguments         struct {
			App string `json:"app_id"`
		}
	}
	if err := json.Unmarshal([]byte(e.Data), &data); err != nil || e.Id == "" {
		d.T.Fatalf("event %v: %v", e, err)
	}
	switch e.Kind {
	case "assistant.delta":
		if data.Restart {
			d.text = ""
		}
		d.text += data.Text
	case "tool.request":
		if d.Forgets && !data.Answered {
			delete(d.results, data.ID)
			delete(d.accepted, data.ID)
		} else if d.Forgets {
			break
		}
		if d.run(data.ID, data.Arguments.App); data.ID == d.Pauses {
			d.LastID, d.Heard = before, d.Heard[:len(d.Heard)-1] // the gateway is to send it again
		}
	case "assistant.final":
		d.Final = data.Text
	case "error":
		d.Failed = e.Data
	}
}

// run runs a tool, unless it already ran, and posts the result, unless the gateway accepted it.
func (d *DeskClient) run(id, app string) {
	d.T.Helper()
	if d.Pauses == id && !d.Late {
		return
	}
	if d.results[id] == "" {
		d.ran[id]++
		d.order = append(d.order, app)
		d.results[id] = "opened " + app
	}
	if d.Pauses != id && d.accepted[id] == "" {
		d.Post(id, d.results[id])
	}
}

// Post posts the result of a tool call. If Loses is set, it first posts the result on a connection that breaks.
func (d *DeskClient) Post(id, result string) {
	d.T.Helper()
	body := fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":%q,"ok":true,"result":%q,"error":null}}`, d.Session, id, result)
	if d.Loses != "" {
		d.lose(body)
	}
	if status, text := d.Ask("POST", "/v1/tools/result", body); status != 200 || strings.TrimSpace(text) != `{"accepted":true}` {
		d.T.Fatalf("the result of %s: %d %s", id, status, text)
	}
	d.accepted[id] = result
}

// lose posts a result, or half of it, and closes the connection before it has the whole response.
func (d *DeskClient) lose(body string) {
	d.T.Helper()
	conn, err := RawDial(d.Addr)
	if err != nil {
		d.T.Fatal(err)
	}
	defer conn.Close()
	sent := body
	if d.Loses == "half of the request" {
		sent = body[:len(body)/2]
	}
	head := fmt.Sprintf("POST /v1/tools/result HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n",
		d.Addr, len(body), strings.Join(append(d.Headers, ""), "\r\n"))
	if _, err := io.WriteString(conn, head+sent); err != nil {
		d.T.Fatal(err)
	}
	if d.Loses == "the answer's second half" {
		if _, err := io.ReadFull(conn, make([]byte, 20)); err != nil {
			d.T.Fatal(err)
		}
	}
}
