// Command health asks the gateway in its container whether all checks pass. If they pass, it exits
// with 0. It is the image's health check. It does the same as `windie doctor --running`, but starts
// in a tenth of the time.
//
//	windie-health [ADDRESS]
//
// ADDRESS is the gateway's listen address, by default WINDIE_LISTEN.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// defaultListen is a gateway's default listen address.
const defaultListen = "127.0.0.1:8765"

// Limits of a response.
const (
	timeout   = 4 * time.Second // shorter than the image's health check, which ends after five
	maxHealth = 1 << 20         // bytes
)

// main exits with 1 and prints the failed checks to standard error if a check fails.
func main() {
	at := cmp.Or(os.Getenv("WINDIE_LISTEN"), defaultListen)
	if len(os.Args) > 1 {
		at = os.Args[1]
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := ask(ctx, at); err != nil {
		fmt.Fprintln(os.Stderr, "windie-health:", err)
		os.Exit(1) //nolint:gocritic // the process ends, and its timer with it
	}
}

// ask fails unless a gateway listens at an address and all its checks pass.
func ask(ctx context.Context, listen string) error {
	url, err := address(listen)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without a proxy
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no gateway answers: %w", err)
	}
	defer resp.Body.Close()
	var health sdkapi.Health
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxHealth)).Decode(&health); err != nil || len(health.Checks) == 0 {
		return errors.Join(fmt.Errorf("the server at %s is not a Windie gateway", url), err)
	}
	var wrong []string
	for _, c := range health.Checks {
		if !c.OK {
			wrong = append(wrong, c.Name+": "+c.Message)
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// address returns the health URL of a gateway that listens at an address. If the gateway listens on
// all addresses, it uses the loopback address.
func address(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("%q is not a listen address such as %s: %w", listen, defaultListen, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	return "http://" + net.JoinHostPort(host, port) + sdkapi.HealthPath, nil
}
