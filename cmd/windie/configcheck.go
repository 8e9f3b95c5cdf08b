package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/newfile"
)

var (
	// a host name; its last part is not a number, because that would be an IP address
	hostPattern      = regexp.MustCompile(`^([A-Za-z0-9_-]+\.)*[A-Za-z0-9_-]*[A-Za-z_-][A-Za-z0-9_-]*\.?$`)
	prefixPattern    = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)
	languagesPattern = regexp.MustCompile(`^[A-Za-z0-9_]+(\+[A-Za-z0-9_]+)*$`)
)

// check lists invalid values. It sends no request, but it checks that the files and folders that
// settings name exist and are readable.
func (c *config) check() []string {
	var p configError
	add := p.add
	if err := c.checkListen(); err != nil {
		add(true, "%v", err)
	}
	c.checkHosting(&p)
	for _, o := range c.AllowedOrigins {
		add(!isOrigin(o), "allowed_origins (WINDIE_ALLOWED_ORIGINS): %q is not an origin as https://app.example.com, file:// or null", o)
	}
	add(c.PathPrefix != "" && !prefixPattern.MatchString(c.PathPrefix), "path_prefix (WINDIE_PATH_PREFIX): %q is not a path as /windie", c.PathPrefix)
	for _, pattern := range c.OpenAITools {
		_, err := path.Match(pattern, "")
		add(err != nil, "openai_tools (WINDIE_OPENAI_TOOLS): %q is not a pattern as ocr.*", pattern)
	}
	for _, pattern := range c.MCP.Tools {
		_, err := path.Match(pattern, "")
		add(err != nil, "mcp.tools (WINDIE_MCP_TOOLS): %q is not a pattern as ocr_*", pattern)
	}
	for _, choice := range c.MCP.Clients {
		client, pattern, _ := strings.Cut(choice, "=")
		_, err := path.Match(pattern, "")
		add(err != nil || client == "" || pattern == "", "mcp.clients (WINDIE_MCP_CLIENTS): %q is not a choice as codex=ocr_*", choice)
	}
	add(c.DrainDelay < 0 || c.DrainDelay >= c.DrainTimeout, "drain_delay (WINDIE_DRAIN_DELAY): must be at least 0s, and shorter than drain_timeout, which is %v", c.DrainTimeout)
	for _, s := range settings(c) {
		wrong := s.wrong()
		add(wrong != "", "%s (%s): %s", s.key, s.env, wrong)
	}
	add(c.otlp != "" && !isWebURL(c.otlp), "OTEL_EXPORTER_OTLP_ENDPOINT: %q is not a URL as http://collector:4318", c.otlp)
	add(c.DataDir == "", "data_dir (WINDIE_DATA_DIR): is empty; name a folder")
	add(c.DatabaseURL != "" && !isPostgresURL(string(c.DatabaseURL)), "database_url (WINDIE_DATABASE_URL): is not a URL as postgres://windie:secret@db.example/windie")
	c.checkOpenID(&p)
	c.checkOAuth(&p)
	add(engines[c.OCR.Engine] == nil, "ocr.engine (WINDIE_OCR_ENGINE): %q is not one of: %s", c.OCR.Engine, strings.Join(slices.Sorted(maps.Keys(engines)), ", "))
	add(!languagesPattern.MatchString(c.OCR.Languages), "ocr.languages (WINDIE_OCR_LANGUAGES): %q is not a list as eng+deu", c.OCR.Languages)
	add((c.Vision.URL == "") != (c.Vision.Model == ""), "vision.url and vision.model (WINDIE_VISION_URL, WINDIE_VISION_MODEL): one is of no use without the other")
	for _, host := range c.Plugins.PrivateHosts {
		add(!isHost(strings.TrimPrefix(host, "http://")), "plugins.private_hosts (WINDIE_PLUGIN_PRIVATE_HOSTS): %q is not as registry.lan:5000 or http://registry.lan:5000", host)
	}
	p.problems = slices.Concat(p.problems, c.checkSearch(), c.Embeddings.check(), c.Runs.check(), c.Speech.check(), c.Transcription.check())
	add(c.OperatorToken != "" && len(c.OperatorToken) < minToken, "operator_token (WINDIE_OPERATOR_TOKEN): must have at least %d bytes, as openssl rand -hex 32 gives", minToken)
	c.checkS3(&p)
	return p.problems
}

// Limits of settings.
const (
	minToken     = 16       // bytes: a shorter token could be guessed
	minScrubRate = 64 << 10 // bytes per second: a slower scrub would not end
)

// checkListen refuses an address that other machines can reach, if no route requires a token.
func (c *config) checkListen() error {
	const name = "listen (WINDIE_LISTEN): "
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf(name+"%q is not an address with a port, for example 127.0.0.1:8765", c.Listen)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf(name+"%q is not a port", port)
	}
	ip, err := netip.ParseAddr(host)
	if host != "" && err != nil && !hostPattern.MatchString(host) {
		return fmt.Errorf(name+"%q is neither an IP address, for example 127.0.0.1, nor a host name", host)
	}
	if host == "localhost" || err == nil && ip.IsLoopback() || c.TrustedNetwork || c.Mode == hostedMode {
		return nil
	}
	return errors.New(name + c.Listen + " is reachable from other machines, but the gateway requires no token: " +
		"listen on 127.0.0.1, set WINDIE_MODE=hosted to require tokens, or set WINDIE_TRUSTED_NETWORK=true if everyone on the network may use it")
}

// isHost reports whether s is a host, with an optional port.
func isHost(s string) bool {
	u, err := url.Parse("https://" + s)
	return err == nil && u.Host == s && u.Hostname() != "" && isPort(u.Port())
}

// isPostgresURL reports whether s is a URL with a host and one of PostgreSQL's two schemes.
func isPostgresURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") && u.Host != "" && isPort(u.Port())
}

// isOrigin reports whether s is an origin as browsers send it: without a path, not even a final
// slash.
func isOrigin(s string) bool {
	if s == originFile || s == originNull {
		return true
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && s == u.Scheme+"://"+u.Host
}

// Origins of pages that come from no server. Any page can make its origin null.
const (
	originFile = "file://"
	originNull = "null"
)

// makeDirs creates the data folder, with access only for this user, and the folder for temporary
// files in it. It fails if a restore of the data folder was interrupted.
func (c *config) makeDirs() error {
	if err := c.half(); err != nil {
		return err
	}
	err := os.MkdirAll(c.DataDir, 0o700)
	if err == nil {
		err = os.Mkdir(c.tempDir(), 0o700)
		if err == nil {
			err = newfile.InheritAll(c.tempDir())
		} else if info, statErr := os.Stat(c.tempDir()); statErr == nil && info.IsDir() {
			err = nil // it exists
		}
	}
	if err != nil {
		return &configError{[]string{fmt.Sprintf("data_dir (WINDIE_DATA_DIR): cannot create the folder: %v", err)}}
	}
	return nil
}
