package gateway_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// caller is who sends requests, by way of a proxy.
type caller struct {
	url, address, user, token string
}

// of returns a caller of its own, as an install of a new user.
func (c caller) of(t *testing.T, ids *identity.Identity, address string) caller {
	install, token := doorstest.Registered(t, ids)
	c.address, c.user, c.token = address, install.User, token
	return c
}

// Do sends a request, and returns what the answer says of limits beside the
// status.
func (c caller) Do(t *testing.T, method, path, body string) (status int, limits string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", "192.0.2.1, "+c.address)
	if c.token != "" {
		req.Header.Set(sdkapi.UserHeader, c.user)
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	told := resp.Header.Get("RateLimit-Limit") + " " + resp.Header.Get("RateLimit-Remaining")
	reset, err := strconv.Atoi(resp.Header.Get("RateLimit-Reset"))
	if (err == nil) != (told != " ") || reset < 0 || reset > 24*3600 {
		t.Errorf("reset %d with %q", reset, told)
	}
	retry, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if (err == nil) != (resp.StatusCode == http.StatusTooManyRequests) || retry < 0 || err == nil && (retry == 0 || retry > reset) {
		t.Errorf("%s, again after %q, full after %d", resp.Status, resp.Header.Get("Retry-After"), reset)
	}
	return resp.StatusCode, strings.TrimSpace(told)
}

// limited starts a hosted gateway with limits, behind a proxy that is trusted.
func limited(t *testing.T, limits quota.Limits, with func(*gateway.App)) (caller, *identity.Identity) {
	t.Helper()
	cfg := gateway.App{
		Identity: gatewaytest.Identity(t), Hosted: true, Limits: limits, LimitWindow: 24 * time.Hour, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
	if with != nil {
		with(&cfg)
	}
	return caller{url: gatewaytest.Start(t, cfg)}, cfg.Identity
}

// step is a request and what comes of it.
type step struct {
	who          caller
	method, path string
	status       int
	limits       string // limit and what remains; "*": anything
}

func walk(t *testing.T, steps []step) {
	t.Helper()
	for i, s := range steps {
		if status, limits := s.who.Do(t, s.method, s.path, "{}"); status != s.status || s.limits != "*" && limits != s.limits {
			t.Errorf("%d, %s %s: %d with %q, want %d with %q", i, s.method, s.path, status, limits, s.status, s.limits)
		}
	}
}

// Requests are counted by user and by address. The answer reports whichever is
// scarcer, and other callers are not concerned.
func TestRequestLimits(t *testing.T) {
	t.Parallel()
	base, ids := limited(t, quota.Limits{UserRequests: 3, AddressRequests: 5}, nil)
	ada, eve, joe := base.of(t, ids, "203.0.113.1"), base.of(t, ids, "203.0.113.1"), base.of(t, ids, "203.0.113.2")
	ada2 := ada
	ada2.address = "203.0.113.3"
	nobody := caller{url: base.url, address: "203.0.113.1"}
	guess := ada
	guess.address, guess.token = "203.0.113.9", "wnd_install_x"
	walk(t, []step{
		{ada, "GET", "/api/tools", 200, "3 2"},
		{ada, "GET", "/api/nothing", 404, "3 1"},
		{ada2, "GET", "/api/tools", 200, "3 0"},
		{ada2, "GET", "/api/tools", 429, "3 0"},
		{eve, "GET", "/api/tools", 200, "5 2"},
		{joe, "GET", "/api/tools", 200, "3 2"},
		{nobody, "GET", "/openapi.json", 200, "5 1"},
		{nobody, "GET", "/api/tools", 401, "5 0"},
		{eve, "GET", "/api/tools", 429, "5 0"},
		{nobody, "GET", "/health", 200, ""},
		{nobody, "POST", sdkapi.InstallRegisterPath, 429, "5 0"},
		{guess, "GET", "/api/tools", 401, "5 4"},
		{guess, "GET", "/api/tools", 401, "5 3"},
		{guess, "GET", "/api/tools", 401, "5 2"},
		{guess, "GET", "/api/tools", 401, "5 1"},
		{guess, "GET", "/api/tools", 401, "5 0"},
		{guess, "GET", "/api/tools", 429, "5 0"},
	})
}

func TestRegistrationLimit(t *testing.T) {
	t.Parallel()
	base, _ := limited(t, quota.Limits{AddressRegistrations: 2}, nil)
	one, other := base, base
	one.address, other.address = "2001:db8::1", "2001:db8:0:1::1"
	neighbour := one
	neighbour.address = "2001:db8::2" // of the same network
	walk(t, []step{
		{one, "POST", sdkapi.InstallRegisterPath, 422, "2 1"},
		{neighbour, "POST", "/API/install/register/", 422, "2 0"},
		{one, "POST", sdkapi.InstallRegisterPath, 429, "2 0"},
		{one, "GET", sdkapi.InstallRegisterPath, 401, ""},
		{other, "POST", sdkapi.InstallRegisterPath, 422, "2 1"},
	})
}

func TestToolCallLimit(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	tool := doorstest.FakeTool{About: agent.Descriptor{Name: "test.count"}, Answer: func(context.Context, agent.Call) (agent.Result, error) {
		calls.Add(1)
		return agent.Result{}, nil
	}}
	base, ids := limited(t, quota.Limits{UserToolCalls: 2, AddressToolCalls: 3}, func(c *gateway.App) { c.Tools = doorstest.RegistryOf(t, tool) })
	ada, eve := base.of(t, ids, "203.0.113.1"), base.of(t, ids, "203.0.113.1")
	walk(t, []step{
		{ada, "POST", sdkapi.ToolPath("test.count"), 200, "2 1"},
		{ada, "GET", "/api/tools", 200, ""},
		{ada, "POST", sdkapi.ToolPath("no.tool"), 404, "2 0"},
		{ada, "POST", sdkapi.ToolPath("test.count"), 429, "2 0"},
		{eve, "POST", sdkapi.ToolPath("test.count"), 200, "3 0"},
		{eve, "POST", sdkapi.ToolPath("test.count"), 429, "3 0"},
	})
	if calls.Load() != 2 {
		t.Errorf("%d calls came through", calls.Load())
	}
}

// In local mode nobody is known but by address, and X-Forwarded-For is
// anybody's unless a proxy is trusted.
func TestLimitsInLocalMode(t *testing.T) {
	t.Parallel()
	base, _ := limited(t, quota.Limits{UserRequests: 1, AddressRequests: 2}, func(c *gateway.App) { c.Hosted, c.TrustedProxies = false, nil })
	one, other := base, base
	one.address, other.address = "203.0.113.1", "203.0.113.2"
	walk(t, []step{
		{one, "GET", "/openapi.json", 200, "2 1"},
		{other, "GET", "/openapi.json", 200, "2 0"},
		{one, "GET", "/openapi.json", 429, "2 0"},
	})
}

// A screen is charged by its size, before it is read, and once: what is known
// of it already is free, to whomever. The tools charge as the routes do.
func TestMegapixelLimit(t *testing.T) {
	t.Parallel()
	engine := &doorstest.CountingEngine{}
	scenes := perception.NewScenes(engine, perception.Options{})
	base, ids := limited(t, quota.Limits{UserMegapixels: 5, AddressMegapixels: 8}, func(c *gateway.App) {
		c.Scenes = scenes
		c.Tools = doorstest.RegistryOf(t, screens.BuiltinTools(nil, query.New(scenes, nil))...)
	})
	ada, eve := base.of(t, ids, "203.0.113.1"), base.of(t, ids, "203.0.113.1")
	screens := map[string]string{
		"small": doorstest.Blank(t, 100, 100, 1), "hd": doorstest.Blank(t, 1920, 1080, 2), "hd2": doorstest.Blank(t, 1920, 1080, 3), "hd3": doorstest.Blank(t, 1920, 1080, 4), "hd4": doorstest.Blank(t, 1920, 1080, 5),
		"none": base64.StdEncoding.EncodeToString([]byte("no image")),
	}
	for i, tt := range []struct {
		who          caller
		path, screen string
		status       int
		limits       string
		read         int32
	}{
		{ada, sdkapi.OCRRunPath, "small", 200, "5 4", 1},
		{ada, sdkapi.OCRRunPath, "small", 200, "", 1},
		{ada, sdkapi.OCRRunPath, "none", 422, "", 1},
		{ada, sdkapi.OCRInspectPath, "hd", 200, "5 2", 2},
		{ada, sdkapi.OCROverlayPath, "hd", 200, "", 2},
		{ada, sdkapi.ToolPath("ocr.read"), "hd2", 200, "5 0", 3},
		{ada, sdkapi.OCRRunPath, "hd3", 429, "5 0", 3},
		{ada, sdkapi.ToolPath("ocr.read"), "hd3", 429, "5 0", 3},
		{ada, sdkapi.OCRRunPath, "hd", 200, "", 3},
		{eve, sdkapi.OCRRunPath, "hd2", 200, "", 3},
		{ada, sdkapi.ScreenElementsPath, "hd", 200, "", 3},
		{ada, sdkapi.VisionDescribePath, "hd3", 429, "5 0", 3},
		{eve, sdkapi.OCRRunPath, "hd3", 200, "8 1", 4},
		{eve, sdkapi.VisionDescribePath, "hd3", 200, "", 4},
		{eve, sdkapi.ToolPath("screen.elements"), "hd4", 429, "8 1", 4},
		{eve, sdkapi.VisionOverlayPath, "hd4", 429, "5 1", 4},
	} {
		t.Run(fmt.Sprint(tt.path, " ", tt.screen), func(t *testing.T) {
			body := fmt.Sprintf(`{"image":{"image_base64":%q}`, screens[tt.screen])
			if tt.path == sdkapi.VisionOverlayPath {
				body += `,"points":[{"x":1,"y":1}]`
			}
			if status, limits := tt.who.Do(t, http.MethodPost, tt.path, body+"}"); status != tt.status || limits != tt.limits || engine.Reads.Load() != tt.read {
				t.Errorf("%d, %s of %s: %d with %q, %d read", i, tt.path, tt.screen, status, limits, engine.Reads.Load())
			}
		})
	}
}

// A caller that is turned away hears so at once, not when the body has come.
func TestTurnedAwayBeforeTheBody(t *testing.T) {
	t.Parallel()
	base, ids := limited(t, quota.Limits{UserToolCalls: 1, AddressRegistrations: 1}, nil)
	ada := base.of(t, ids, "203.0.113.1")
	ada.Do(t, http.MethodPost, sdkapi.ToolPath("no.tool"), "{}")
	ada.Do(t, http.MethodPost, sdkapi.InstallRegisterPath, "{}")
	known := "X-User-Id: " + ada.user + "\r\nAuthorization: Bearer " + ada.token + "\r\nX-Forwarded-For: 203.0.113.1\r\n"
	u, err := url.Parse(base.url)
	if err != nil {
		t.Fatal(err)
	}
	for path, tt := range map[string]struct {
		header string
		status int
	}{
		sdkapi.ArtifactsPath:       {"", 401},
		sdkapi.OCRRunPath:          {"Authorization: Bearer x\r\n", 401},
		sdkapi.ToolPath("no.tool"): {known, 429},
		sdkapi.InstallRegisterPath: {known, 429},
	} {
		t.Run(path, func(t *testing.T) {
			if status, closes := begin(t, u.Host, path, tt.header, 20_000_000); status != tt.status || !closes {
				t.Errorf("%s: %d, and the connection ends: %v", path, status, closes)
			}
			if status, closes := begin(t, u.Host, path, tt.header, 1); status != tt.status || closes {
				t.Errorf("%s, a small body: %d, and the connection ends: %v", path, status, closes)
			}
		})
	}
}

// begin sends the head of a request with a body of size bytes, and one of them. An answer that waits for the rest does not come.
func begin(t *testing.T, host, path, header string, size int) (status int, closes bool) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n{", path, host, size, header)
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode, resp.Close
}
