package gateway_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
)

// answered is what came back on a connection.
type answered struct {
	status int
	close  bool
	code   sdkapi.Code // of the error envelope; empty where there is none
}

// exchange sends bytes as they are and reads the answers until the gateway closes
// the connection. Where it does not, the last of them has to be to lastly, which
// is sent behind.
func exchange(t *testing.T, url, raw string) (answers []answered) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw+lastly); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	method, _, _ := strings.Cut(raw, " ")
	for r := bufio.NewReader(conn); ; {
		resp, err := http.ReadResponse(r, &http.Request{Method: method}) // a HEAD's answer has no body
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				t.Error("the connection stays open, and says nothing")
			}
			return answers
		}
		body, _ := io.ReadAll(resp.Body)
		var envelope sdkapi.ErrorResponse
		if resp.StatusCode >= 400 && method != http.MethodHead && json.Unmarshal(body, &envelope) != nil {
			t.Errorf("the answer is no envelope: %d %q", resp.StatusCode, body)
		}
		if resp.StatusCode >= http.StatusOK {
			method = http.MethodGet // of what is sent behind
		}
		answers = append(answers, answered{resp.StatusCode, resp.Close, envelope.Error.Code})
	}
}

const (
	hidden = "GET " + sdkapi.ToolsPath + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" // a request behind another, or within
	lastly = "GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
)

// A request that leaves open where its body ends is refused, and is the last on
// its connection: what may have been meant as its body is not answered.
func TestMisframed(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{})
	const head = " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
	for name, raw := range map[string]string{
		"a length and chunks":      head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"chunks and a length":      head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"in lower case":            head + "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
		"with a tab":               head + "Content-Length:\t5\r\nTransfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n",
		"expecting a go-ahead":     head + "Expect: 100-continue\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"chunks of HTTP/1.0":       strings.Replace(head, "1.1", "1.0", 1) + "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"identity and a length":    head + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
		"identity":                 head + "Transfer-Encoding: identity\r\n\r\n",
		"another encoding":         head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"two encodings":            head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"no encoding":              head + "Transfer-Encoding: \r\nContent-Length: 2\r\n\r\n{}",
		"two lengths":              head + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		"a list of lengths":        head + "Content-Length: 2, 2\r\n\r\n{}",
		"a length with a sign":     head + "Content-Length: +2\r\n\r\n{}",
		"a negative length":        head + "Content-Length: -1\r\n\r\n{}",
		"an empty length":          head + "Content-Length: \r\n\r\n{}",
		"a space before the colon": head + "Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"a header in two lines":    head + "X-A: 1\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"two hosts":                head + "Host: 127.0.0.1\r\n\r\n",
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodHead, "QUERY"} {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				refusedWhole(t, url, method, raw)
			})
		}
	}
	for name, chunks := range map[string]string{
		"a chunk's size is no number": "xyz\r\n{}\r\n0\r\n\r\n",
		"a chunk's size with 0x":      "0x2\r\n{}\r\n0\r\n\r\n",
		"a chunk's size with a sign":  "+2\r\n{}\r\n0\r\n\r\n",
		"a negative chunk":            "-2\r\n{}\r\n0\r\n\r\n",
		"a chunk beyond all numbers":  "ffffffffffffffff2\r\n{}\r\n0\r\n\r\n",
		"a chunk without an end":      "2\r\n{}XX0\r\n\r\n",
		"a length as a trailer":       "2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedWhole(t, url, http.MethodPost, head+sdkapi.UserHeader+": ada\r\nTransfer-Encoding: chunked\r\n\r\n"+chunks)
		})
	}
}

// refusedWhole fails unless a request is answered with 400, and nothing behind it.
func refusedWhole(t *testing.T, url, method, raw string) {
	t.Helper()
	got := exchange(t, url, method+" "+sdkapi.ToolPath("memory.search")+raw+hidden)
	for len(got) > 0 && got[0].status == http.StatusContinue {
		got = got[1:]
	}
	if len(got) != 1 || got[0].status != http.StatusBadRequest || !got[0].close || got[0].code != sdkapi.MalformedBody && method != http.MethodHead {
		t.Errorf("answered %+v, not once with 400 and the end", got)
	}
}

// A connection goes on after a request that is framed rightly. A method that
// nobody knows ends it: its body may be anything.
func TestFramed(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{})
	const end = " 404 NOT_FOUND" // of what is sent lastly
	for name, tt := range map[string]struct{ raw, want string }{
		"a length":               {"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + fmt.Sprint(len(hidden)) + "\r\n\r\n" + hidden, "404 NOT_FOUND" + end},
		"chunks":                 {"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n", "404 NOT_FOUND" + end},
		"chunks, Capitals":       {"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nTRANSFER-ENCODING: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "404 NOT_FOUND" + end},
		"a body of a GET":        {"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + fmt.Sprint(len(hidden)) + "\r\n\r\n" + hidden, "404 NOT_FOUND" + end},
		"chunks of a GET":        {"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden), "404 NOT_FOUND" + end},
		"a body of a HEAD":       {"HEAD /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + fmt.Sprint(len(hidden)) + "\r\n\r\n" + hidden, "404 " + end},
		"QUERY":                  {"QUERY /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + fmt.Sprint(len(hidden)) + "\r\n\r\n" + hidden, "405 METHOD_NOT_ALLOWED"},
		"a method in lower case": {"get /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "405 METHOD_NOT_ALLOWED"},
		"an unknown method":      {"BREW /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "405 METHOD_NOT_ALLOWED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, a := range exchange(t, url, tt.raw) {
				got = append(got, fmt.Sprint(a.status, " ", a.code))
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("answered %q, not %q", text, tt.want)
			}
		})
	}
}
