package egress_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/test/testkit"
)

// trap listens on all addresses of this machine and counts who connects. Its
// check fails the test when anyone has, or when it was never up.
func trap(t *testing.T) (port string, check func()) {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	accepted := make(chan struct{}, 1000)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- struct{}{}
			_ = conn.Close()
		}
	}()
	port = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	return port, func() {
		t.Helper()
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal("the trap was not up:", err)
		}
		_ = conn.Close()
		<-accepted // ours
		testkit.Throughout(t, 20*time.Millisecond, "no connections are made", func() (int, bool) { return len(accepted), len(accepted) == 0 })
	}
}

// spellings of loopback, and of what a system takes for it.
var spellings = []string{
	"127.0.0.1", "127.0.0.1.", "127.1.2.3", "localhost", "LOCALHOST", "localhost.", "LocalHost.LocalDomain", "any.name.test",
	"2130706433", "0x7f000001", "0X7F.0x0.0x0.0x1", "017700000001", "0177.0.0.1", "0177.0.0.01", "127.1", "127.0.1", "0x7f.1",
	"127.000.000.001", "00127.0.0.1", "0x7f000001.", "127.0.0.1..", "0", "0.0.0.0", "0x0", "4294967295.", "127.0.0.0x1",
	"[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000::0001]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::7f00:1]",
	"[0:0:0:0:0:ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[::1%25lo]",
	"[fe80::1%25lo]", "[::ffff:0:127.0.0.1]", "[127.0.0.1]", "[::1", "::1", "[::1].",
	"１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "ⓛocalhost", "loc\u00adalhost", "127.0.0.1\u200b", "%31%32%37.0.0.1", "127.0.0.1%00", "%6cocalhost",
	"127.0.0.1%2f", "127.0.0.1%20", "x@127.0.0.1", "127.0.0.1:80@127.0.0.1",
}

// TestLoopbackHasNoSpelling asks for this machine in every way, with a rule
// for all hosts, and connects to nothing.
func TestLoopbackHasNoSpelling(t *testing.T) {
	t.Parallel()
	port, check := trap(t)
	client := newClient(t, egress.Config{
		Rules:  []egress.Rule{{Host: "*:" + port, Schemes: []string{"http"}}},
		Limits: egress.Limits{Requests: 1000},
	})
	session := client.Session()
	for _, host := range spellings {
		_, err := session.Do(t.Context(), egress.Request{URL: "http://" + host + ":" + port + "/"})
		if reason := egress.ReasonOf(err); reason != egress.PrivateAddress && reason != egress.BadRequest {
			t.Errorf("%s: %q, %v", host, reason, err)
		}
		if host == "any.name.test" && strings.Contains(err.(*egress.Error).Fault.Message, "127") { //nolint:errorlint // it is one
			t.Errorf("the guest learns the address: %v", err)
		}
	}
	if got := session.Usage(); got.Requests != len(spellings) || got.BytesReceived != 0 {
		t.Error(got)
	}
	check()
}

// TestAddressesNobodyMayReach opens each host's network and gets nowhere.
func TestAddressesNobodyMayReach(t *testing.T) {
	t.Parallel()
	port, check := trap(t)
	var addr atomic.Pointer[netip.Addr]
	client := newClient(t, egress.Config{
		Rules:    []egress.Rule{{Host: "*.test:" + port, Schemes: []string{"http"}, Private: true}},
		Limits:   egress.Limits{Requests: 1000},
		Resolver: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{*addr.Load()}, nil },
	})
	for _, s := range []string{
		"0.0.0.0", "::", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "fd00:ec2::254", "168.63.129.16",
		"100.100.100.200", "224.0.0.1", "255.255.255.255", "ff02::1", "fe80::1", "2002:7f00:1::", "::127.0.0.1",
	} {
		a := netip.MustParseAddr(s)
		addr.Store(&a)
		session := client.Session()
		_, err := session.Do(t.Context(), egress.Request{URL: "http://a.test:" + port})
		wantReason(t, s, err, egress.PrivateAddress)
		if a := session.Attempts()[0]; a.Hint != "" || a.BytesSent != 0 {
			t.Errorf("%s: %+v", s, a)
		}
	}
	check()
}

// TestRebinding gives a public address to the first lookup, and this machine's
// to the connection.
func TestRebinding(t *testing.T) {
	t.Parallel()
	port, check := trap(t)
	var asked atomic.Int64
	looked := make(chan struct{})
	client := newClient(t, egress.Config{
		Rules: []egress.Rule{{Host: "rebind.test:" + port, Schemes: []string{"http"}}},
		Resolver: func(ctx context.Context, host string) ([]netip.Addr, error) {
			if asked.Add(1) > 1 {
				return loopback(ctx, host)
			}
			close(looked)
			<-ctx.Done() // so that nobody is really connected to
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Limits: egress.Limits{ConnectTimeout: 50 * time.Millisecond},
	})
	request := egress.Request{URL: "http://rebind.test:" + port}
	_, err := client.Do(t.Context(), request)
	wantReason(t, "at first", err, egress.Timeout)
	<-looked
	session := client.Session()
	_, err = session.Do(t.Context(), request)
	wantReason(t, "rebound", err, egress.PrivateAddress)
	if want := `{"host":"rebind.test:` + port + `","schemes":["http"],"private":true}`; session.Attempts()[0].Hint != want {
		t.Error(session.Attempts())
	}
	check()
}

// TestOneRuleDoesNotServeAnother has a connection to this machine open, made
// for a rule that may, and asks under one that may not.
func TestOneRuleDoesNotServeAnother(t *testing.T) {
	t.Parallel()
	host := serve(t, nil)
	open := inside(host)
	open.Path = "/open"
	client := newClient(t, egress.Config{Rules: []egress.Rule{open, {Host: host, Schemes: open.Schemes, Path: "/shut"}}})
	for _, tt := range []struct {
		path string
		want egress.Reason
	}{{"/open", egress.Allowed}, {"/shut", egress.PrivateAddress}, {"/open", egress.Allowed}} {
		_, err := client.Do(t.Context(), egress.Request{URL: "http://" + host + tt.path})
		wantReason(t, tt.path, err, tt.want)
	}
}

func TestHostsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		addrs []netip.Addr
		err   error
		want  egress.Reason
	}{
		{"no addresses", nil, nil, egress.Unreachable},
		{"no such name", nil, &net.DNSError{Err: "no such host", IsNotFound: true}, egress.Unreachable},
		{"a slow server of names", nil, &net.DNSError{Err: "timeout", IsTimeout: true}, egress.Timeout},
		{"a broken one", nil, errors.New("broken"), egress.Unreachable},
		{"a private address among others", []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.1")}, nil, egress.PrivateAddress},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := newClient(t, egress.Config{
				Rules:    []egress.Rule{{Host: "a.test"}},
				Resolver: func(context.Context, string) ([]netip.Addr, error) { return tt.addrs, tt.err },
			})
			_, err := client.Do(t.Context(), egress.Request{URL: "https://a.test/"})
			wantReason(t, tt.name, err, tt.want)
			if tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("%s: the cause is lost: %v", tt.name, err)
			}
		})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	gone := "api.test:" + strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	session := newClient(t, egress.Config{Rules: []egress.Rule{inside(gone)}}).Session()
	_, err = session.Do(t.Context(), egress.Request{URL: "http://" + gone})
	wantReason(t, "nobody listens", err, egress.Unreachable)
	if a := session.Attempts()[0]; a.BytesSent != 0 || a.Decision != egress.Unreachable {
		t.Errorf("%+v", a)
	}
}

// TestNamesThatAreInside asks for a host by its name whose address says nothing:
// without a rule that opens private networks, nobody is asked where it is.
func TestNamesThatAreInside(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	resolver := func(_ context.Context, host string) ([]netip.Addr, error) {
		asked <- host
		return nil, errors.New("nothing is there")
	}
	for _, tt := range []struct {
		url     string
		private bool
		reason  egress.Reason
	}{
		{"https://windie.test/api/decisions", false, egress.PrivateAddress},
		{"https://WINDIE.test./", false, egress.PrivateAddress},
		{"https://windie.test/", true, egress.Unreachable},
		{"https://other.test/", false, egress.Unreachable},
	} {
		t.Run(tt.url, func(t *testing.T) {
			client := newClient(t, egress.Config{
				Rules: []egress.Rule{{Host: "*.test", Private: tt.private}}, Inside: []string{"windie.test"}, Resolver: resolver,
			})
			_, err := client.Do(t.Context(), egress.Request{URL: tt.url})
			wantReason(t, tt.url, err, tt.reason)
			if looked := len(asked) > 0; looked != (tt.reason == egress.Unreachable) {
				t.Errorf("%s: the name was looked up: %v", tt.url, looked)
			}
			for len(asked) > 0 {
				<-asked
			}
		})
	}
}
