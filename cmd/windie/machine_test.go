package main

import (
	"net"
	"strings"
	"testing"
)

func TestProxyCheck(t *testing.T) {
	t.Parallel()
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	at := proxy.Addr().String()
	for _, tt := range []struct{ name, variable, fine, wrong string }{
		{"none", "HTTP_PROXY=", "none", ""},
		{"one that listens", "HTTPS_PROXY=http://ada:hush@" + at, "HTTPS_PROXY is " + at, ""},
		{"without a scheme", "http_proxy=" + at, "http_proxy is " + at, ""},
		{"one that does not", "HTTPS_PROXY=http://ada:hush@127.0.0.1:1", "", "does not answer"},
		{"another scheme", "HTTPS_PROXY=ftp://ada:hush@127.0.0.1", "", "the scheme http, https or socks5"},
		{"no URL", "HTTP_PROXY=http://ada:hush@[", "", "invalid URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := proxyCheck([]string{"NO_PROXY=example", tt.variable}).examine(t.Context())
			if got.OK != (tt.wrong == "") || !strings.Contains(got.Message, tt.fine+tt.wrong) || strings.Contains(got.Message, "hush") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestContainerCheck(t *testing.T) {
	t.Parallel()
	c := new(config)
	if said, err := c.checkContainer(t.Context()); err != nil || !strings.Contains(said, "MB of memory") {
		t.Errorf("%s, %v", said, err)
	}
}
