package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// errNotOurs is the error of a program that responds instead of this user's gateway.
var errNotOurs = errors.New("the program at the gateway's address did not prove that it is your gateway")

// proves checks, with the key in the data folder, that the program at the default URL is this
// user's gateway. It accepts a URL of another machine: that machine's certificate identifies it,
// and the user has named it. fix says how the user can continue with a gateway that is the user's, for
// example in a container or with another data folder.
func (c *config) proves(ctx context.Context, at, fix string) error {
	u, err := url.Parse(at)
	if err != nil || !isLoopback(u.Hostname()) {
		return nil // its next use reports an invalid URL
	}
	hint := "; if it is yours, for example in a container or with another data folder, " + fix
	key, err := os.ReadFile(c.approvalKeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: the key %s does not exist%s", errNotOurs, c.approvalKeyFile(), hint)
	}
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(at, "/")+sdkapi.HealthPath, nil)
	if err != nil {
		return err
	}
	challenge := rand.Text()
	req.Header.Set(sdkapi.ChallengeHeader, challenge)
	resp, err := direct.Do(req)
	if err != nil {
		return fmt.Errorf("no gateway answers at %s: %w", at, err)
	}
	defer resp.Body.Close()
	port, _ := strconv.Atoi(u.Port())
	if !hmac.Equal([]byte(resp.Header.Get(sdkapi.ProofHeader)), []byte(sdkapi.Proof(strings.TrimSpace(string(key)), challenge, port))) {
		return fmt.Errorf("cannot use the gateway at %s: %w%s", at, errNotOurs, hint)
	}
	return nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
