package modelstest

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
)

// What a fault may take at most.
const (
	impatient = time.Second      // of Retry, with the faults that only it ends
	patient   = 15 * time.Second // with the others, which end by themselves, on a busy machine too
	maxTime   = time.Minute      // until the error, on a very busy machine
	maxMemory = 96 << 20         // bytes allocated in all, the server's own included
)

// faults runs every fault. Each ends in its code, in time, without a panic or
// a goroutine left, within its memory and without telling the key.
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

// checkSecret fails when the key, or what is nobody's business, comes out.
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

// checkRefusal fails if the wait that the server asked for is lost.
func checkRefusal(t *testing.T, f Fault, err error) {
	t.Helper()
	var refusal *models.Refusal
	if found := errors.As(err, &refusal); f == RateLimit && (!found || refusal.RetryAfter != RetryAfter) {
		t.Errorf("the wait is lost: %v", refusal)
	}
}
