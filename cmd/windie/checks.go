package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
)

// checksOf lists the checks for a gateway with these settings.
func checksOf(c *config, environ []string) []check {
	return []check{
		{"data", c.checkData},
		{"state", c.checkState},
		{"kept", c.checkKept},
		{"artifacts", c.checkStore},
		{"damage", c.checkDamage},
		{"ocr", c.checkOCR},
		{"policy", c.checkPolicy},
		{"approvals", c.checkApprovalKey},
		{"oidc", c.checkProvider},
		{"oauth", c.checkIssuer},
		c.modelCheck(environ),
		{"vision", c.checkVision},
		{"memory", c.checkMemory},
		{embeddingsCheck, c.checkEmbeddings},
		{"runs", c.checkRuns},
		{"speech", c.checkSpeech},
		{"transcription", c.checkTranscription},
		{"plugins", c.checkPlugins},
		{"scripts", c.checkScripts},
		{"mcp", c.checkMCP},
		proxyCheck(environ),
		{"container", c.checkContainer},
		{"screen", checkScreen},
		{"listen", c.checkListener},
		{"clock", c.checkClock},
	}
}

// minFree is the minimum free space for the data folder, in bytes: for uploads and growth.
const minFree = 256 << 20

// checkData checks that the data folder is writable and has free space.
func (c *config) checkData(context.Context) (string, error) {
	if err := c.makeDirs(); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(c.tempDir(), "doctor-*")
	if err != nil {
		return "", fmt.Errorf("%s is not writable: %w; let the gateway's user write there, or choose another folder with WINDIE_DATA_DIR", c.DataDir, err)
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return "", err
	}
	free, known := freeBytes(c.DataDir)
	if !known {
		return c.DataDir + " is writable", nil
	}
	return c.DataDir + " is writable, " + amount(int64(free)) + " free", enough(c.DataDir, free)
}

// enough returns an error if the free space is below minFree.
func enough(dir string, free uint64) error {
	if free < minFree {
		return fmt.Errorf("%s has %s free and needs at least %s: free disk space, or choose another folder with WINDIE_DATA_DIR", dir, amount(int64(free)), amount(int64(minFree)))
	}
	return nil
}

// checkState checks the database without changing it.
func (c *config) checkState(ctx context.Context) (string, error) {
	in, err := database.Inspect(ctx, c.databaseConfig())
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Cause != nil {
		return "", errors.New(f.Message + " (" + rootOf(f).Error() + ")") // the operator may read causes
	}
	switch {
	case err != nil:
		return "", err
	case in.Version < in.Newest:
		return fmt.Sprintf("%s is at version %d of %d; the gateway migrates it when it starts", in.Name, in.Version, in.Newest), nil
	case in.Exists && !in.Checked && c.DatabaseURL == "":
		return fmt.Sprintf("%s is usable, version %d; it is too large for a full check here", in.Name, in.Version), nil
	}
	return fmt.Sprintf("%s is usable, version %d", in.Name, in.Version), nil
}

// rootOf returns the innermost cause of an error.
func rootOf(err error) error {
	for next := err; next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// checkStore writes, reads and deletes a test artifact. It creates the folder, or the bucket, if
// that is missing.
func (c *config) checkStore(ctx context.Context) (string, error) {
	store, err := openStore(ctx, c)
	if err != nil {
		return "", err
	}
	if err := store.Ready(ctx); err != nil {
		return "", err
	}
	return "the store can write, read and delete", artifacts.Try(ctx, store)
}

// checkOCR reports whether the text reader is usable, for example whether its language files are
// installed.
func (c *config) checkOCR(ctx context.Context) (string, error) {
	scenes := newScenes(c, nil, pools{})
	err := scenes.Ready(ctx)
	return scenes.EngineName(), err
}

// checkPlugins checks the plugin folder, the operator's grants, and the signature policy.
func (c *config) checkPlugins(context.Context) (string, error) {
	list, err := os.ReadDir(c.pluginDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w; let the gateway's user read the folder", err)
	}
	if _, err := c.pluginFolder(); err != nil {
		return "", err
	}
	raw, err := os.ReadFile(c.pluginGrants())
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", fmt.Errorf("%w; let the gateway's user read the file", err)
	default:
		if _, err := wasmtools.ParseGrants(raw); err != nil {
			return "", fmt.Errorf("%s: %s; correct the file: the gateway cannot start until this error is fixed", c.pluginGrants(), fault.From(err).Message)
		}
	}
	if _, err := c.trust(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d files in %s", len(list), c.pluginDir()), nil
}

// checkScripts reports whether JavaScript plugins can run. A missing runtime is a failure only if
// the settings name it.
func (c *config) checkScripts(context.Context) (string, error) {
	if _, err := os.Stat(c.scriptRuntime()); err != nil && c.Plugins.ScriptRuntime != "" {
		return "", fmt.Errorf("%w: put the file quickjs.wasm at this path, or unset WINDIE_SCRIPT_RUNTIME and run: windie tool runtime add", err)
	}
	return author.RuntimeNote(c.scriptRuntime()), nil
}

// checkListener checks that the listen address is free, or that the gateway of the data folder
// responds there.
func (c *config) checkListener(ctx context.Context) (string, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err == nil {
		return c.Listen + " is free", ln.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	health, notOurs := c.askRunning(ctx)
	switch {
	case notOurs != nil:
		return "", fmt.Errorf("%w, and no gateway answers there; stop the program that listens there, or choose another address with --listen or WINDIE_LISTEN", err)
	case !c.occupied():
		return "", fmt.Errorf("the gateway at %s uses another data folder; choose that folder with --data-dir or WINDIE_DATA_DIR, or choose another address with --listen or WINDIE_LISTEN", c.Listen)
	}
	return fmt.Sprintf("the gateway answers at %s, version %s; `windie doctor --running` asks it about its parts", c.Listen, health.Version), nil
}

// Limits of a plausible clock.
const maxAhead = 30 * time.Second // maximum difference from the remote clock

var (
	notBefore = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // this program is not older
	notAfter  = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// checkClock compares this machine's clock with that of a remote database or bucket.
func (c *config) checkClock(ctx context.Context) (string, error) {
	// a server that does not respond must not fail this check: another check reports it
	ctx, cancel := context.WithTimeout(ctx, checkTimeout/2)
	defer cancel()
	with, ahead, err := "", time.Duration(0), error(nil)
	switch {
	case c.DatabaseURL != "":
		var in database.Inspection
		in, err = database.Inspect(ctx, c.databaseConfig())
		with, ahead = "the database", in.Ahead
	case c.S3.Endpoint != "":
		with = "the bucket's server"
		ahead, err = aheadOf(ctx, c.S3.Endpoint)
	}
	if err != nil {
		with = "" // another check reports it
	}
	return judgeClock(time.Now(), with, ahead)
}

// judgeClock reports whether this machine's clock, which shows now, is plausible. The parameter with
// names a remote clock, and is empty if there is none. That clock is ahead of this one by ahead.
func judgeClock(now time.Time, with string, ahead time.Duration) (string, error) {
	shown := now.UTC().Format(time.DateTime) + " UTC"
	switch {
	case now.Before(notBefore), now.After(notAfter):
		return "", fmt.Errorf("this machine's clock shows %s, which is wrong; set it, for example with: timedatectl set-ntp true", shown)
	case with == "":
		return shown, nil
	case ahead.Abs() > maxAhead:
		word := "behind"
		if ahead < 0 {
			word = "ahead of"
		}
		return "", fmt.Errorf("this machine's clock is %v %s the clock of %s; correct both clocks, for example with: timedatectl set-ntp true", ahead.Abs().Round(time.Second), word, with)
	}
	return shown + ", the same as " + with, nil
}

// aheadOf returns how far a web server's clock is ahead of ours, to a second.
func aheadOf(ctx context.Context, url string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return 0, err
	}
	before := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return 0, fault.New("doctor.clock", sdkapi.StorageUnavailable, "the bucket's server sends no valid Date header").Because(err)
	}
	return date.Sub(before.Add(time.Since(before) / 2)), nil
}

// checkPolicy parses the policy file. It fails if one rule is invalid, because a gateway does not
// start then.
func (c *config) checkPolicy(context.Context) (string, error) {
	rules, err := c.Agent.policy()
	switch {
	case err != nil:
		return "", err
	case c.Agent.Policy == "":
		return "no policy file: calls that change something need approval", nil
	}
	return fmt.Sprintf("%d rules in %s", len(rules), c.Agent.Policy), nil
}
