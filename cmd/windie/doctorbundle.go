package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/memlimit"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/internal/redact"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/sdkapi"
)

// Limits of the requests of a bundle to the running gateway.
const (
	maxBundleFigures = 4 << 20         // bytes of one response, for example the metrics
	bundleWait       = 5 * time.Second // for all requests together
)

// bundleReadme describes the content of a bundle.
const bundleReadme = `What windie doctor --bundle found, for somebody who helps.

about.json        the program, the processor, the limits
checks.json       the checks of windie doctor
settings.json     the settings in force; of a secret only whether it is set
variables.json    names of variables of the environment that a gateway reads; no values
folders.json      how many files of which size there are in each folder of the data folder
mcp.json          the MCP servers, by name, and how they are spoken to; no arguments, variables or headers
running.json      what the gateway that runs at the listen address says of itself, if there is one
metrics.txt       its figures

No secret, text or picture is in it. Secrets were taken out of all files by their values as
well. Look through it before you send it.
`

// about describes the program and the machine.
type about struct {
	build
	Time       time.Time `json:"time"`
	CPUs       int       `json:"cpus"`
	Procs      int       `json:"gomaxprocs"`
	Memory     int64     `json:"memory_bytes"` // memory available to the process
	OpenFiles  uint64    `json:"open_files,omitempty"`
	Root       bool      `json:"root"` // whether the user is root
	Executable string    `json:"executable"`
}

// tally counts the content of one folder of the data folder.
type tally struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// bundled is a bundle being written: the zip, and the redactor of secrets.
type bundled struct {
	zip  *zip.Writer
	hide *redact.Redactor
}

// writeBundle writes diagnostic data of a gateway to a zip, atomically.
func writeBundle(ctx context.Context, file string, load loader, environ []string, found diagnosis) error {
	var all bytes.Buffer
	out := bundled{zip.NewWriter(&all), redact.New(secretsOf(load, environ))}
	parts := []error{out.text("README.txt", bundleReadme), out.json("about.json", aboutThis()), out.json("checks.json", found), out.json("variables.json", variablesOf(environ))}
	if c, err := load(); err == nil {
		parts = append(parts, out.json("settings.json", inForce{c}), out.json("folders.json", c.tallies()), out.json("mcp.json", c.mcpBundle()))
		parts = append(parts, out.running(ctx, c)...)
	}
	if err := errors.Join(append(parts, out.zip.Close())...); err != nil {
		return fmt.Errorf("cannot write the bundle: %w", err)
	}
	if err := newfile.Write(file, all.Bytes()); err != nil {
		return fmt.Errorf("cannot write the bundle: %w; name a file in a writable folder", err)
	}
	return nil
}

// text adds a text file.
func (b bundled) text(name, text string) error {
	w, err := b.zip.Create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, b.hide.Text(text))
	return err
}

// json adds a JSON file. It redacts secrets inside strings, so that the file stays valid JSON.
func (b bundled) json(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return err
	}
	w, err := b.zip.Create(name)
	if err != nil {
		return err
	}
	to := json.NewEncoder(w)
	to.SetIndent("", "  ")
	to.SetEscapeHTML(false)
	return to.Encode(b.hidden(plain))
}

// hidden returns a JSON value with secrets redacted in its strings.
func (b bundled) hidden(value any) any {
	switch v := value.(type) {
	case string:
		return b.hide.Text(v)
	case []any:
		for i := range v {
			v[i] = b.hidden(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = b.hidden(v[key])
		}
	}
	return value
}

// running adds the data of the gateway at the listen address.
func (b bundled) running(ctx context.Context, c *config) []error {
	ctx, cancel := context.WithTimeout(ctx, bundleWait)
	defer cancel()
	health, err := c.fetchRunning(ctx, sdkapi.HealthPath, bundleWait)
	if err != nil {
		return []error{b.json("running.json", map[string]string{"no_gateway": err.Error()})}
	}
	parts := []error{b.text("running.json", health)}
	if figures, err := c.fetchRunning(ctx, metricsPath, bundleWait); err == nil {
		parts = append(parts, b.text("metrics.txt", figures))
	}
	return parts
}

// metricsPath is the path of a gateway's metrics.
const metricsPath = "/metrics"

// fetchRunning requests a path of the gateway at the listen address. It sends the operator's token
// once the program there has proved that it is the gateway. wait limits the whole request.
func (c *config) fetchRunning(ctx context.Context, path string, wait time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	addr, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return "", err
	}
	at := "http://" + reachable(addr)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+path, nil)
	if err != nil {
		return "", err
	}
	if c.OperatorToken != "" {
		if err := c.proves(ctx, at, "set WINDIE_DATA_DIR to its data folder"); err != nil {
			return "", err
		}
		req.Header.Set("Authorization", "Bearer "+string(c.OperatorToken))
	}
	resp, err := direct.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBundleFigures))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the route %s responds with %s", path, resp.Status)
	}
	return string(text), err
}

// aboutThis describes the running program and this machine. It contains no host name and no user
// name.
func aboutThis() about {
	files, _ := maxFiles()
	program, _ := os.Executable() // "" if the system does not know
	return about{
		build: build{version, runtime.Version(), runtime.GOOS, runtime.GOARCH, lstm.Kernels()}, Time: time.Now().UTC(),
		CPUs: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0), Memory: memlimit.Find(), OpenFiles: files, Root: os.Geteuid() == 0, Executable: filepath.Base(program),
	}
}

var (
	readVariable   = regexp.MustCompile(`^(WINDIE_|OTEL_|GO|TZ$|LANG$|LC_|SSL_CERT|NO_COLOR$|(HTTPS?|NO|ALL)_PROXY$|(https?|no|all)_proxy$|.*_API_KEY$)`)
	secretVariable = regexp.MustCompile(`(?i)key|token|secret|pass|pwd|credential|auth|cookie`)
)

// variablesOf lists the environment variables that a gateway reads, sorted by name.
func variablesOf(environ []string) (names []string) {
	for _, variable := range environ {
		if name, value, _ := strings.Cut(variable, "="); value != "" && readVariable.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// secretsOf lists the values that a bundle must not contain: secret settings and variables, secrets
// in URLs, and the values for MCP servers.
func secretsOf(load loader, environ []string) (secrets []string) {
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if secretVariable.MatchString(name) {
			secrets = append(secrets, value)
		}
		secrets = append(secrets, redact.InURL(value)...)
	}
	c, err := load()
	if err != nil {
		return secrets
	}
	secrets = append(secrets, c.S3.AccessKey)
	for _, s := range settings(c) {
		text := fmt.Sprint(s.value.Interface())
		if s.secret() {
			text = s.value.String()
			secrets = append(secrets, text)
		}
		secrets = append(secrets, redact.InURL(text)...)
	}
	specs, _ := c.mcpSpecs() // an unreadable file is not in the bundle either
	for _, spec := range specs {
		for _, given := range []map[string]string{spec.Env, spec.Headers} {
			for _, value := range given {
				secrets = append(secrets, value)
			}
		}
		secrets = append(secrets, redact.InURL(spec.URL)...)
	}
	return secrets
}

// tallies counts the content of the data folder, by the names of its direct entries.
func (c *config) tallies() map[string]tally {
	all := map[string]tally{}
	_ = filepath.WalkDir(c.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		info, err := entry.Info()
		name, relErr := filepath.Rel(c.DataDir, path)
		if err != nil || relErr != nil {
			return nil //nolint:nilerr // it is gone
		}
		top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		t := all[top]
		t.Files++
		t.Bytes += info.Size()
		all[top] = t
		return nil
	}) // cannot fail: the function returns no error
	return all
}

// mcpBundle describes the MCP servers for a bundle, by name.
func (c *config) mcpBundle() map[string]string {
	specs, err := c.mcpSpecs()
	if err != nil {
		return map[string]string{"": "the file cannot be read; checks.json says why"}
	}
	servers := map[string]string{}
	for _, s := range specs {
		how := "a program"
		if s.URL != "" {
			how = "a URL"
		}
		if s.Disabled {
			how += ", disabled"
		}
		servers[s.Name] = how
	}
	return servers
}
