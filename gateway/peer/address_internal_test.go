package peer

import (
	"net"
	"net/netip"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// Only a trusted proxy is believed, and only for what it has seen itself.
func TestAddressOf(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	app := fiber.New()
	for name, tt := range map[string]struct {
		remote string
		said   []string // X-Forwarded-For, by lines
		want   string
	}{
		"nobody in between":              {"203.0.113.7:1", nil, "203.0.113.7"},
		"who says so without being":      {"203.0.113.7:1", []string{"198.51.100.1"}, "203.0.113.7"},
		"a proxy that says nothing":      {"10.0.0.1:1", nil, "10.0.0.1"},
		"a proxy":                        {"10.0.0.1:1", []string{"203.0.113.7"}, "203.0.113.7"},
		"a client that makes things up":  {"10.0.0.1:1", []string{"1.1.1.1, 10.0.0.9, 203.0.113.7"}, "203.0.113.7"},
		"two proxies":                    {"10.0.0.1:1", []string{"1.1.1.1, 203.0.113.7, 10.0.0.2"}, "203.0.113.7"},
		"two proxies, a line each":       {"10.0.0.1:1", []string{"1.1.1.1", "203.0.113.7", "10.0.0.2"}, "203.0.113.7"},
		"proxies only":                   {"10.0.0.1:1", []string{"10.0.0.3,10.0.0.2"}, "10.0.0.3"},
		"a proxy that does not know":     {"10.0.0.1:1", []string{"203.0.113.7, unknown"}, "10.0.0.1"},
		"what lies behind what is wrong": {"10.0.0.1:1", []string{"203.0.113.7, x, 10.0.0.2"}, "10.0.0.2"},
		"empty":                          {"10.0.0.1:1", []string{""}, "10.0.0.1"},
		"commas":                         {"10.0.0.1:1", []string{",,,"}, "10.0.0.1"},
		"with a port":                    {"10.0.0.1:1", []string{"203.0.113.7:4711"}, "203.0.113.7"},
		"IPv6":                           {"[fd00::1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv6 with a port":               {"[fd00::1]:1", []string{"[2001:db8::7]:4711"}, "2001:db8::7"},
		"IPv6 in brackets":               {"[fd00::1]:1", []string{"[2001:db8::7]"}, "2001:db8::7"},
		"IPv4 as IPv6":                   {"[::ffff:10.0.0.1]:1", []string{"::ffff:203.0.113.7"}, "203.0.113.7"},
	} {
		t.Run(name, func(t *testing.T) {
			remote := netip.MustParseAddrPort(tt.remote)
			ctx := &fasthttp.RequestCtx{}
			ctx.SetRemoteAddr(netAddr(remote))
			for _, line := range tt.said {
				ctx.Request.Header.Add(fiber.HeaderXForwardedFor, line)
			}
			c := app.AcquireCtx(ctx)
			if got := Address(c, proxies); got.String() != tt.want {
				t.Errorf("%s: %s, want %s", name, got, tt.want)
			}
			app.ReleaseCtx(c)
		})
	}
}

func TestAddressKey(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::": "2001:db8:1:2::/64",
	} {
		t.Run(address, func(t *testing.T) {
			if got := AddressKey(netip.MustParseAddr(address)); got != want {
				t.Errorf("%s: %s", address, got)
			}
		})
	}
	if got := AddressKey(netip.Addr{}); got == "" {
		t.Error("no address has no key")
	}
}

func netAddr(a netip.AddrPort) net.Addr { return net.TCPAddrFromAddrPort(a) }
