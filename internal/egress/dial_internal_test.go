package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"
)

func TestClassOf(t *testing.T) {
	t.Parallel()
	for want, list := range map[class][]string{
		public: {
			"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255",
			"172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
			"2000::1", "2606:4700::1111", "2001:200::1", "3ffe::1", "::ffff:1.1.1.1",
		},
		private: {
			"10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.0", "127.255.255.255", "172.16.0.0", "172.31.255.255",
			"192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "::1", "fc00::", "fdff::1", "fec0::1", "::ffff:10.0.0.1",
			"64:ff9b::1.1.1.1", "64:ff9b::10.0.0.1",
		},
		never: {
			"0.0.0.0", "0.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "168.63.129.16", "100.100.100.200",
			"192.0.0.0", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.51.100.1", "203.0.113.1", "224.0.0.0", "239.255.255.255",
			"240.0.0.0", "255.255.255.255", "::", "::2", "::127.0.0.1", "::ffff:0.0.0.0", "::ffff:0:127.0.0.1", "64:ff9b:1::1",
			"64:ff9b::169.254.169.254", "64:ff9b::0.0.0.0", "100::1", "1fff::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002::1", "3fff::1",
			"4000::1", "5f00::1", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "fe80::1", "febf::1", "fe80::1%lo", "2606::1%lo",
			"ff00::1", "ff02::1", "ffff::1",
		},
	} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			for _, s := range list {
				if got := classOf(netip.MustParseAddr(s)); got != want {
					t.Errorf("%s is %d, expected %d", s, got, want)
				}
			}
		})
	}
	if classOf(netip.Addr{}) != never {
		t.Error("no address is one to connect to")
	}
}

// TestTheSystemIsLookedAt lets the system resolve a name by itself, behind
// the back of all that could look before.
func TestTheSystemIsLookedAt(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, private := range []bool{false, true} {
		d := &dialer{private: private, own: net.InterfaceAddrs}
		conn, err := d.net().DialContext(t.Context(), "tcp4", "localhost:"+port)
		var refused *addressError
		if got := errors.As(err, &refused); got == private {
			t.Errorf("private %t: %v", private, err)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
}

func TestOwnAddressesArePrivate(t *testing.T) {
	t.Parallel()
	own := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(93, 184, 216, 34), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for _, tt := range []struct {
		address string
		private bool
		fails   bool
	}{
		{"93.184.216.34:80", false, true},
		{"93.184.216.34:80", true, false},
		{"93.184.216.35:80", false, false},
		{"no address", true, true},
	} {
		t.Run(fmt.Sprint(tt.address, " ", tt.private), func(t *testing.T) {
			d := &dialer{private: tt.private, own: own}
			if err := d.check(tt.address); (err != nil) != tt.fails {
				t.Errorf("%+v: %v", tt, err)
			}
		})
	}
}

// A machine that does not list its addresses still knows them.
func TestOwnAddressesAreNotListed(t *testing.T) {
	t.Parallel()
	d := &dialer{own: func() ([]net.Addr, error) { return nil, errors.New("not listed") }}
	for address, own := range map[string]bool{"127.0.0.1": true, "::ffff:127.0.0.1": true, "93.184.216.34": false} {
		t.Run(address, func(t *testing.T) {
			if d.isOwn(netip.MustParseAddr(address)) != own {
				t.Errorf("expected %t", own)
			}
		})
	}
	if err := d.check("93.184.216.34:80"); err != nil {
		t.Error(err)
	}
}

// TestTheNextAddressIsTried has one address that refuses and one that does
// not answer before the one that does.
func TestTheNextAddressIsTried(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	d := &dialer{private: true, timeout: 5 * time.Second, own: net.InterfaceAddrs, resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("::ffff:127.0.0.1")}, nil
	}}
	conn, err := d.DialContext(t.Context(), "tcp", "a.test:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	_ = listener.Close()
	var refused *addressError
	if _, err := d.DialContext(t.Context(), "tcp", "a.test:"+port); !errors.As(err, &refused) {
		t.Errorf("that nobody listens hides that one was refused: %v", err)
	}
}

// TestAddressesTriedAreBounded resolves to more addresses than are tried.
func TestAddressesTriedAreBounded(t *testing.T) {
	t.Parallel()
	d := &dialer{resolve: func(context.Context, string) ([]netip.Addr, error) {
		return make([]netip.Addr, maxAddresses+1), nil
	}}
	if addrs, _, err := d.lookup(t.Context(), "a.test:80"); len(addrs) != maxAddresses || err != nil {
		t.Error(len(addrs), err)
	}
}
