package dialogue

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/internal/test/recorded"
)

// patience bounds one exchange.
const patience = 60 * time.Second

type exchange struct {
	start   string // method and target
	headers []string
	body    []byte
	cut     int  // bytes of the body to send; -1: all
	hangUp  bool // after a cut, rather than to send nothing more
}

// send plays one recorded request over a connection of its own, byte by byte
// as written: no client tidies it up.
func (p Player) send(text string, vars *recorded.Variables) (answer, error) {
	x, conn, err := p.connect(text, vars)
	if err != nil {
		return answer{}, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return answer{}, err
	}
	wrote := make(chan error, 1)
	go func() { wrote <- x.write(conn, p.Addr) }()
	resp, err := x.read(conn)
	if err != nil {
		return answer{}, fmt.Errorf("no answer: %w (sending: %w)", err, <-wrote)
	}
	defer resp.Body.Close()
	return show(resp)
}

func (p Player) connect(text string, vars *recorded.Variables) (exchange, net.Conn, error) {
	x, err := p.prepare(vars.Fill(text))
	if err != nil {
		return x, nil, err
	}
	conn, err := (&net.Dialer{Timeout: patience}).Dial("tcp", p.Addr)
	return x, conn, err
}

func (x exchange) read(conn net.Conn) (*http.Response, error) {
	method, _, _ := strings.Cut(x.start, " ")
	return http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
}

func (x exchange) write(conn net.Conn, addr string) error {
	w := bufio.NewWriter(conn)
	fmt.Fprintf(w, "%s HTTP/1.1\r\nHost: %s\r\n", x.start, addr)
	chunked := false
	for _, h := range x.headers {
		fmt.Fprintf(w, "%s\r\n", h)
		chunked = chunked || strings.HasPrefix(h, "Transfer-Encoding:")
	}
	if !chunked && (len(x.body) > 0 || strings.HasPrefix(x.start, http.MethodPost)) {
		fmt.Fprintf(w, "Content-Length: %d\r\n", len(x.body))
	}
	fmt.Fprint(w, "\r\n")
	body := x.body
	if x.cut >= 0 {
		body = body[:x.cut]
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if x.hangUp {
		return conn.(*net.TCPConn).CloseWrite()
	}
	return nil
}

func (p Player) prepare(text string) (exchange, error) {
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	x := exchange{start: lines[0], cut: -1}
	expanded, err := p.expand(strings.TrimSpace(body))
	if err != nil {
		return x, err
	}
	x.body = expanded
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "@file":
			err = x.addForm(p, value)
		case "@cut", "@stall":
			x.cut, err = strconv.Atoi(value)
			x.hangUp = name == "@cut"
		default:
			x.headers = append(x.headers, line)
		}
		if err != nil {
			return x, fmt.Errorf("%s: %w", line, err)
		}
	}
	return x, nil
}

func (x *exchange) addForm(p Player, name string) error {
	content, err := p.File(name)
	if err != nil {
		return err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		return err
	}
	if _, err := part.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	x.headers = append(x.headers, "Content-Type: "+w.FormDataContentType())
	x.body = form.Bytes()
	return nil
}

var macro = regexp.MustCompile(`\$\{(base64|zeros|letters):([^}]+)\}`)

func (p Player) expand(body string) ([]byte, error) {
	var failed error
	out := macro.ReplaceAllStringFunc(body, func(m string) string {
		parts := macro.FindStringSubmatch(m)
		if repeated, ok := map[string]string{"zeros": "\x00", "letters": "x"}[parts[1]]; ok {
			n, err := strconv.Atoi(parts[2])
			if err != nil {
				failed = err
			}
			return strings.Repeat(repeated, n)
		}
		content, err := p.File(parts[2])
		if err != nil {
			failed = err
		}
		return base64.StdEncoding.EncodeToString(content)
	})
	return []byte(out), failed
}

var shownHeaders = []string{
	"Content-Type", "Content-Length", "Content-Range", "Content-Disposition", "Accept-Ranges", "Etag", "Last-Modified", "Cache-Control", "Location",
	"X-Content-Type-Options", "Content-Security-Policy", "Allow", "Vary", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Www-Authenticate",
}

func show(resp *http.Response) (answer, error) {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	kind := resp.Header.Get("Content-Type")
	a := answer{body: string(body), json: strings.Contains(kind, "json")}
	head := fmt.Sprintf("%d\n", resp.StatusCode)
	for _, name := range shownHeaders {
		if name == "Content-Length" && (a.json || resp.Request.Method != http.MethodHead) {
			continue // follows from the body, and varies with it
		}
		if value := resp.Header.Get(name); value != "" {
			head += name + ": " + value + "\n"
		}
	}
	a.head = head
	switch {
	case a.json && len(body) > 0: // a HEAD has none
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, body, "", "  "); err != nil {
			return a, err
		}
		a.body = strings.TrimSpace(pretty.String())
	case len(body) > 0 && !strings.HasPrefix(kind, "text/"):
		a.body = "(" + strconv.Itoa(len(body)) + " bytes)"
	}
	return a, nil
}
