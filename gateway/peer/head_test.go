package peer_test

import (
	"bufio"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/gateway/peer"
)

// What is read in one pass is what a search for each header finds, however its name is written.
func TestReadHead(t *testing.T) {
	t.Parallel()
	all := peer.Head{ID: "r-1", User: "ada", Key: "k", RunsKey: "rk", OnceKey: "o", Origin: "https://a.test", Site: "same-site"}
	const lines = "X-Request-ID: r-1\r\nX-User-Id: ada\r\nX-Windie-Key: k\r\nX-Windie-Runs-Key: rk\r\nIdempotency-Key: o\r\nOrigin: https://a.test\r\nSec-Fetch-Site: same-site\r\n"
	twice := func(name string) peer.Head { h := all; h.Twice = name; return h }
	for name, tt := range map[string]struct {
		lines string
		want  peer.Head
	}{
		"none":                     {"Accept: */*\r\nCookie: a=b\r\n", peer.Head{}},
		"all":                      {lines + "Authorization: Bearer t\r\n", all},
		"in small letters":         {strings.ToLower(lines), all},
		"in capitals":              {strings.ToUpper("x-user-id") + ": ada\r\n", peer.Head{User: "ada"}},
		"a second user":            {lines + "x-user-id: eve\r\n", twice("X-User-Id")},
		"a second key":             {lines + "x-windie-key: l\r\n", twice("X-Windie-Key")},
		"a second key of runs":     {lines + "x-windie-runs-key: l\r\n", twice("X-Windie-Runs-Key")},
		"a second origin":          {lines + "origin: https://b.test\r\n", twice("Origin")},
		"a second token":           {lines + "authorization: a\r\nAuthorization: b\r\n", twice("Authorization")},
		"an empty user and a user": {"X-User-Id:\r\nX-User-Id: eve\r\n", peer.Head{Twice: "X-User-Id"}},
		"two request ids":          {"X-Request-ID: a\r\nX-Request-ID: b\r\n", peer.Head{ID: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var r fasthttp.Request
			if err := r.Read(bufio.NewReader(strings.NewReader("GET / HTTP/1.1\r\nHost: h\r\n" + tt.lines + "\r\n"))); err != nil {
				t.Fatal(err)
			}
			if got := peer.ReadHead(&r.Header); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// Only the name that was allowed last is, and each request has the URLs of its own.
func TestNamed(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	to := func(host string) *fiber.Ctx {
		c := app.AcquireCtx(new(fasthttp.RequestCtx))
		c.Request().SetRequestURI("/x")
		c.Request().Header.SetHost(host)
		return c
	}
	var named peer.Named
	here, there := to("127.0.0.1:8765"), to("evil.test:8765")
	if named.Allowed(here) || named.Base(here) != "http://127.0.0.1:8765" || named.Allowed(here) {
		t.Error("a name is allowed that nobody allowed")
	}
	named.Allow(here)
	if !named.Allowed(here) || named.Allowed(there) || named.Base(here) != "http://127.0.0.1:8765" || !named.Allowed(here) {
		t.Error("what was allowed is not, or more is")
	}
	if got := named.Base(there); got != "http://evil.test:8765" || named.Allowed(there) || named.Allowed(here) {
		t.Errorf("the other name has %q, or is allowed", got)
	}
}
