package modelstest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Fault is a failure of a provider's server.
type Fault string

// The faults.
const (
	None         Fault = ""
	Reset        Fault = "the connection is reset before an answer"
	ResetMidway  Fault = "the connection is reset in the answer"
	HalfStream   Fault = "the answer ends between two events"
	HalfLine     Fault = "the answer ends within an event"
	RateLimit    Fault = "429 with Retry-After"
	Broken       Fault = "500"
	Overloaded   Fault = "529"
	ErrorMidway  Fault = "an error in the answer"
	ContextFull  Fault = "400, the conversation is too long"
	BadKey       Fault = "401 that repeats the key"
	EchoedKey    Fault = "400 that repeats the key"
	EchoedMidway Fault = "an error in the answer that repeats the key"
	Redirect     Fault = "307 to elsewhere"
	Page         Fault = "200 with a web page"
	BadJSON      Fault = "an event that is not JSON"
	BadUTF8      Fault = "an event that is not UTF-8"
	WrongShape   Fault = "an event of the wrong shape"
	LongLine     Fault = "a line of 100 MB"
	LongError    Fault = "400 with 100 MB"
	KeepAlives   Fault = "keep-alives without end"
	SlowBytes    Fault = "a byte at a time"
	Silence      Fault = "headers and nothing else"
	EndlessText  Fault = "text without end"
	EndlessThink Fault = "a thought without end"
	EndlessInput Fault = "arguments without end"
	EndlessCalls Fault = "calls without end"
)

// Sizes and times of the faults.
const (
	RetryAfter = 7 * time.Second       // value of the Retry-After header that the fault RateLimit sends
	drip       = 20 * time.Millisecond // between two pieces of KeepAlives and SlowBytes
	pieceLen   = 64 << 10              // bytes in a piece of an endless answer
	hundredMB  = 100 << 20
)

// Faults returns all faults, each with the error code that the caller of the model gets.
func Faults() map[Fault]sdkapi.Code {
	return map[Fault]sdkapi.Code{
		Reset: sdkapi.ModelUnavailable, ResetMidway: sdkapi.ModelUnavailable, HalfStream: sdkapi.ModelUnavailable, HalfLine: sdkapi.ModelUnavailable,
		RateLimit: sdkapi.ModelRateLimited, Broken: sdkapi.ModelUnavailable, Overloaded: sdkapi.ModelUnavailable, ErrorMidway: sdkapi.ModelUnavailable,
		ContextFull: sdkapi.ModelContextFull, BadKey: sdkapi.ModelError, EchoedKey: sdkapi.ModelError, EchoedMidway: sdkapi.ModelError,
		Redirect: sdkapi.ModelError, Page: sdkapi.ModelError, BadJSON: sdkapi.ModelError, BadUTF8: sdkapi.ModelError, WrongShape: sdkapi.ModelError,
		LongLine: sdkapi.ModelError, LongError: sdkapi.ModelError,
		KeepAlives: sdkapi.ModelUnavailable, SlowBytes: sdkapi.ModelUnavailable, Silence: sdkapi.ModelUnavailable,
		EndlessText: sdkapi.ModelError, EndlessThink: sdkapi.ModelError, EndlessInput: sdkapi.ModelError, EndlessCalls: sdkapi.ModelError,
	}
}

// serve answers a request with the fault. Without a fault it sends the reply; otherwise it ignores the reply.
func (f Fault) serve(p Protocol, reply Reply, w http.ResponseWriter, r *http.Request) {
	if f.refuse(p, w, r) {
		return
	}
	s := begin(w, r)
	if f == None {
		s.normal(p, reply)
		return
	}
	if f == Silence {
		s.write("\n")
		<-r.Context().Done()
		return
	}
	whole := p.frames(Reply{Text: []string{"so far ", "so good"}, Usage: models.Usage{Input: 3, Output: 4}})
	if f != KeepAlives && f != SlowBytes {
		for _, frame := range whole[:len(whole)/2] {
			s.write(frame)
		}
	}
	f.midway(p, s, whole)
}

// refuse serves a fault that is not a stream. It returns false for other faults.
func (f Fault) refuse(p Protocol, w http.ResponseWriter, r *http.Request) bool {
	key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + r.Header.Get("X-Goog-Api-Key")
	refuse := func(status int, kind, text string) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, wrong(kind, text)) // the client may have left
		return true
	}
	switch f {
	case Reset:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0) // so that Close resets the connection
		_ = conn.Close()
		return true
	case RateLimit:
		w.Header().Set("Retry-After", fmt.Sprint(RetryAfter.Seconds()))
		return refuse(http.StatusTooManyRequests, "rate_limit_error", "slow down, org-1234")
	case Broken:
		return refuse(http.StatusInternalServerError, "api_error", "at 10.0.0.7")
	case Overloaded:
		return refuse(529, "overloaded_error", "Overloaded")
	case ContextFull:
		return refuse(http.StatusBadRequest, "invalid_request_error", p.Full)
	case BadKey:
		return refuse(http.StatusUnauthorized, "authentication_error", "wrong key: "+key)
	case EchoedKey:
		return refuse(http.StatusBadRequest, "invalid_request_error", "wrong header: "+key)
	case LongError:
		w.WriteHeader(http.StatusBadRequest)
		pour(stream{w, r}, `{"error":{"type":"invalid_request_error","message":"`)
		return true
	case Redirect:
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		return true
	case Page:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>Welcome to the hotel's network</html>")
		return true
	}
	return false
}

// wrong returns an error in the JSON form that all protocols share.
func wrong(kind, message string) string {
	return text(Object{"type": "error", "error": Object{"type": kind, "message": message}})
}

// midway continues an answer, of which half was sent, in the way of the fault. whole has all frames
// of the answer.
func (f Fault) midway(p Protocol, s stream, whole []string) {
	key := s.r.Header.Get("Authorization") + s.r.Header.Get("X-Api-Key") + s.r.Header.Get("X-Goog-Api-Key")
	switch f {
	case ResetMidway:
		panic(http.ErrAbortHandler)
	case HalfStream:
	case HalfLine:
		next := whole[len(whole)/2]
		s.write(next[:len(next)/2])
	case ErrorMidway:
		s.write("event: error\ndata: " + wrong("overloaded_error", "Overloaded") + "\n\n")
	case EchoedMidway:
		s.write("event: error\ndata: " + wrong("invalid_request_error", "wrong header: "+key) + "\n\n")
	case BadJSON:
		s.write("event: content_block_delta\ndata: {\"choices\":[nonsense\n\n")
	case BadUTF8:
		s.write("event: content_block_delta\ndata: {\"a\":\"\xff\xfe\"}\n\n")
	case WrongShape:
		s.write("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":7,\"choices\":\"x\",\"candidates\":\"x\",\"usage\":[]}\n\n")
	case LongLine:
		pour(s, `data: {"a":"`)
	case KeepAlives:
		for s.write(": still here\n\n") && pause(s.r.Context(), drip) == nil {
		}
	case SlowBytes:
		for text := strings.Join(whole, ""); text != "" && s.write(text[:1]) && pause(s.r.Context(), drip) == nil; text = text[1:] {
		}
	default:
		f.endless(p, s)
	}
}

// pour sends begin, which opens a text, and then 100 MB of the text. It stops when the client leaves.
func pour(s stream, begin string) {
	s.write(begin)
	for piece, n := strings.Repeat("a", pieceLen), 0; n < hundredMB && s.write(piece); n += pieceLen {
	}
}

// endless sends events of the fault's kind until the client leaves.
func (f Fault) endless(p Protocol, s stream) {
	const first = 9 // index of a block that does not exist yet
	pieces := p.Pieces(first)
	again := p.frame(pieces.of(f))
	for i := first; s.write(again); i++ {
		switch {
		case f == EndlessCalls:
			again = p.frame(p.Pieces(i + 1).of(f))
		case f == EndlessInput && pieces.More != nil && i == first: // the name was sent before
			again = p.frame(pieces.More)
		}
	}
}

// long is a piece of an endless answer; longer is a large piece that is sent at once.
var (
	long   = strings.Repeat("a", pieceLen)
	longer = strings.Repeat(long, models.MaxArguments/pieceLen)
)

// Limits of a fault.
const (
	impatient = time.Second // time limit of Retry, for faults that only Retry ends
	// time limit of Retry for the other faults, which end by themselves, even on a busy machine
	patient   = 15 * time.Second
	maxTime   = time.Minute // until the error, on a very busy machine
	maxMemory = 96 << 20    // bytes allocated in total, the server's own included
)

// faults runs every fault. Each must end with its code, in time, without a panic or a leaked
// goroutine, within its memory limit, and without revealing the key.
func (s suite) faults(t *testing.T) {
	for f := range Faults() {
		code := s.protocol.Code(f)
		t.Run(string(f), func(t *testing.T) {
			leaks := goleak.IgnoreCurrent()
			var logged bytes.Buffer
			log.SetOutput(&logged)
			defer log.SetOutput(os.Stderr)
			server := Serve(t, s.protocol, Reply{Fault: f})
			client := &http.Client{Transport: &http.Transport{}}
			model, err := s.open(server.URL, models.NewSecret(canary), client)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			patience := patient
			if f == KeepAlives || f == SlowBytes || f == Silence {
				patience = impatient
			}
			watched := models.Retry(model, models.RetryOptions{Attempts: 1, FirstEvent: patience, Idle: patience})
			got, err := Collect(watched.Stream(t.Context(), asking("well?")))
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if fault.CodeOf(err) != code {
				t.Errorf("ended with %v and %+v, expected %s", err, got.Events, code)
			}
			if took > maxTime {
				t.Errorf("took %v", took)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > maxMemory {
				t.Errorf("allocated %d MB", used>>20)
			}
			if n := len(server.Asked()); n != 1 {
				t.Errorf("%d requests were sent", n)
			}
			checkSecret(t, err, model, logged.String())
			checkRefusal(t, f, err)
			client.CloseIdleConnections()
			server.Close()
			goleak.VerifyNone(t, leaks)
		})
	}
}

// checkSecret fails if the key or other private text appears in the error, the model or the log.
func checkSecret(t *testing.T, err error, model models.Model, logged string) {
	t.Helper()
	out := fmt.Sprintf("%v\n%+v\n%#v\n%+v\n%#v\n%s", err, err, err, model, model, logged)
	for e := err; e != nil; {
		out += fmt.Sprintf("\n%v %+v %#v", e, e, e)
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		e = u.Unwrap()
	}
	if strings.Contains(out, canary) || strings.Contains(out, canary[:20]) {
		t.Errorf("the key comes out: %s", out)
	}
	if logged != "" {
		t.Errorf("was written to the log: %s", logged)
	}
	f := fault.From(err)
	if f == nil {
		return
	}
	for _, private := range []string{"127.0.0.1", "10.0.0.7", "org-1234", "goroutine"} {
		if strings.Contains(f.Message, private) {
			t.Errorf("the caller reads %q: %s", private, f.Message)
		}
	}
	if len(f.Message) > 1<<10 || len(f.Error()) > 8<<10 {
		t.Errorf("the message has %d bytes, the log's %d", len(f.Message), len(f.Error()))
	}
}

// checkRefusal fails if the Retry-After of the server is lost.
func checkRefusal(t *testing.T, f Fault, err error) {
	t.Helper()
	var refusal *models.Refusal
	if found := errors.As(err, &refusal); f == RateLimit && (!found || refusal.RetryAfter != RetryAfter) {
		t.Errorf("the wait is lost: %v", refusal)
	}
}
