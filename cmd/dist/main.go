// Command dist builds the published files of a version:
//
//	go run ./cmd/dist v1.2.0 DIST
//
// For each platform it writes two archives to DIST: the program, and the program with its symbols.
// For Linux it also writes deb and rpm packages. For npm, Python's installers and clients of MCP it
// writes the files of launchers.go, for Homebrew a formula, and for Kubernetes the Helm chart. It
// adds the list of components (sbom.go), the release notes, and the checksums of all files. Two runs
// from the same commit, in any two folders, write the same bytes: no file contains a path, and each
// time is the time of the commit.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// platforms are the platforms of published versions.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// release is a version being built.
type release struct {
	version string    // for example "1.2.0" or "1.2.0-rc.1"
	root    string    // folder of the repository
	out     string    // folder for the results
	work    string    // folder for intermediate files
	time    time.Time // time of the commit
}

// main exits with 2 for wrong arguments and with 1 for a failed build.
func main() {
	only := flag.String("platforms", platforms, "the platforms, as linux/amd64,darwin/arm64")
	sign := flag.String("sign", "", "a command that signs the file of checksums, whose name is added to it: as 'gpg --armor --detach-sign'")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: dist [flags] VERSION DIST")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, flag.Arg(0), flag.Arg(1), strings.Split(*only, ","), strings.Fields(*sign))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run builds all files of a version in out, which must be missing or empty. sign is a command that gets the file of
// checksums as its last argument; empty signs nothing.
func run(ctx context.Context, version, out string, platforms, sign []string) error {
	r, err := begin(ctx, version, out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	extras, err := r.extras(ctx)
	if err != nil {
		return err
	}
	var programs []program
	for _, name := range platforms {
		p, err := r.build(ctx, name)
		if err != nil {
			return err
		}
		programs = append(programs, p)
		if err := r.archives(p, extras); err != nil {
			return err
		}
		if err := r.packages(ctx, p, extras); err != nil {
			return err
		}
		if err := r.sbom(p); err != nil {
			return err
		}
		fmt.Println("dist:", name, "is done")
	}
	if err := r.launchers(programs, extras); err != nil {
		return err
	}
	if err := r.formula(programs); err != nil {
		return err
	}
	if err := r.chart(); err != nil {
		return err
	}
	if err := r.notes(); err != nil {
		return err
	}
	sums, err := checksums(r.out)
	if err != nil || len(sign) == 0 {
		return err
	}
	return r.command(ctx, append(sign, sums), nil)
}

// versions matches semantic versions in the form of tags.
var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// begin checks that the version can be built here.
func begin(ctx context.Context, version, out string) (*release, error) {
	if !versions.MatchString(version) {
		return nil, fmt.Errorf("%q is not a version; expected a name such as v1.2.0 or v1.2.0-rc.1", version)
	}
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if changed, err := output(ctx, root, "git", "status", "--porcelain"); err != nil {
		return nil, err
	} else if changed != "" {
		return nil, fmt.Errorf("the working tree has uncommitted changes, so the build would not be reproducible; commit or discard them:\n%s", changed)
	}
	// The build succeeds without this page, but the program differs from other builds.
	if info, err := os.Stat(filepath.Join(root, "gateway/docs/assets/scalar.js")); err != nil || info.Size() == 0 {
		return nil, errors.New("the script of the API page, gateway/docs/assets/scalar.js, is missing; fetch it with: make deps")
	}
	at, err := output(ctx, root, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return nil, err
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty; remove it, or name another folder", out)
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // it is published
		return nil, err
	}
	work, err := os.MkdirTemp("", "windie-dist")
	return &release{strings.TrimPrefix(version, "v"), root, out, work, time.Unix(seconds, 0).UTC()}, err
}

// command runs a program in the repository with further environment variables, and shows its
// output.
func (r *release) command(ctx context.Context, args, variables []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), variables...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// output returns the output of a program without the final line break.
func output(ctx context.Context, dir string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimRight(stdout.String(), "\n"), nil
}
