package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/screen"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/memlimit"
)

// Minimum resources of a gateway's container or machine.
const (
	minMemory = 256 << 20 // bytes: enough to read a screen of 25 MiB
	minFiles  = 256       // open files: each connection is one
)

// proxyVariables are the variables that name proxies.
var proxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}

// proxyCheck checks the proxies for requests to models and other servers.
func proxyCheck(environ []string) check {
	return check{"proxies", func(ctx context.Context) (string, error) {
		var used []string
		for _, variable := range environ {
			name, value, _ := strings.Cut(variable, "=")
			if value == "" || !slices.Contains(proxyVariables, name) {
				continue
			}
			proxy, err := proxyOf(value)
			if err != nil {
				return "", fmt.Errorf("%s must be the URL of a proxy, for example http://proxy.example:3128: %w", name, err)
			}
			if err := reach(ctx, proxy); err != nil {
				return "", fmt.Errorf("the proxy %s of %s does not answer: %w; start it, unset the variable, or list in NO_PROXY the hosts that need no proxy", proxy.Host, name, err)
			}
			used = append(used, name+" is "+proxy.Host)
		}
		if len(used) == 0 {
			return "none; requests to models and other servers are direct", nil
		}
		return strings.Join(used, ", ") + "; plugins, and requests to this machine, do not use it", nil
	}}
}

// proxyOf parses the value of a variable like Go's client: a URL, or a host with a port.
func proxyOf(value string) (*url.URL, error) {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	switch {
	case err != nil:
		return nil, errors.New("invalid URL") // its text may contain a password
	case u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme):
		return nil, fmt.Errorf("expected a URL with a host and the scheme http, https or socks5, not the scheme %q", u.Scheme)
	}
	return u, nil
}

// reach connects to a proxy without sending anything.
func reach(ctx context.Context, proxy *url.URL) error {
	port := proxy.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[proxy.Scheme]
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// checkContainer checks the resources that the container or the machine gives to the gateway.
func (c *config) checkContainer(context.Context) (string, error) {
	memory := memlimit.Find()
	files, known := maxFiles()
	said := fmt.Sprintf("%s of memory, %d processors", amount(memory), runtime.GOMAXPROCS(0))
	if known {
		said += fmt.Sprintf(", %d open files", files)
	}
	switch {
	case memory < minMemory:
		return "", fmt.Errorf("the memory of %s is below the required %s: raise the container's limit (--memory of Docker, resources.limits.memory of Kubernetes, MemoryMax= of systemd)", amount(memory), amount(minMemory))
	case known && files < minFiles:
		return "", fmt.Errorf("the limit of %d open files is below the required %d: raise the limit (--ulimit nofile= of Docker, LimitNOFILE= of systemd)", files, minFiles)
	}
	if err := codeMemory(); err != nil {
		return "", fmt.Errorf("this machine does not let plugins run as machine code: %w; remove MemoryDenyWriteExecute= from the systemd unit", err)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		said += ", GOMEMLIMIT=" + os.Getenv("GOMEMLIMIT")
	}
	return said, nil
}

// checkScreen returns what windie desktop and windie mcp --computer can see of this session's screen. A session
// without a screen is no failure.
func checkScreen(ctx context.Context) (string, error) {
	s := screen.Open("")
	defer s.Close()
	var size image.Rectangle
	if err := s.With(ctx, func(d *x11.Display) (err error) {
		size, err = d.Bounds()
		return err
	}); err != nil {
		return "no screen to act on: " + err.Error(), nil
	}
	seen := fmt.Sprintf("%d by %d pixels, with mouse and keyboard", size.Dx(), size.Dy())
	tree, err := access.Open(ctx, "")
	if err != nil {
		return seen + "; only pixels are read: " + err.Error(), nil
	}
	tree.Close()
	return seen + "; programs name their elements on the accessibility bus", nil
}
