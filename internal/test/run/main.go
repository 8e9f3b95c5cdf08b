// Command run runs `go test` and says at its end what a person has to know:
//
//	go run ./internal/test/run [-budget 6m] [-again] [-flakes FILE] -- [flags and packages of go test]
//
// It prints a line for each package, the output of each test that failed, and then
//   - which tests were skipped, by what is missing, with the command that brings it;
//   - with -again, which failures were flakes: a test that failed is run twice more, alone, and is a flake if it passes
//     both times. Where the process of a package ended before its tests, the whole package is run again;
//   - how many tests passed, failed and were skipped, and the time beside the budget.
//
// Where there is a file system in memory, TMPDIR is a folder in it: databases on a disk wait for the disk most of the time.
//
// It ends with 1 if a test failed that is no flake, or if go test itself did.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	opts := options{}
	flag.DurationVar(&opts.budget, "budget", 0, "how long the tests should take at most; printed beside the time that they took")
	flag.BoolVar(&opts.again, "again", false, "run a failed test twice more, alone; it is a flake if it passes both times")
	flag.StringVar(&opts.flakes, "flakes", "", "add each flake to this file, as a line \"package test\"")
	flag.Parse()
	began := time.Now()
	removeFolder := inMemory()
	ok, err := opts.run(ctx, os.Stdout, flag.Args())
	removeFolder()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
	opts.printTime(os.Stdout, time.Since(began))
	if !ok {
		os.Exit(1)
	}
}

// inMemory lets the tests keep their files in memory, where it can, and returns what removes them. What go builds stays
// where it was.
func inMemory() (remove func()) {
	if os.Getenv("TMPDIR") != "" {
		return func() {}
	}
	folder := memoryFolder()
	if folder == "" {
		return func() {}
	}
	if os.Getenv("GOTMPDIR") == "" {
		_ = os.Setenv("GOTMPDIR", os.TempDir())
	}
	_ = os.Setenv("TMPDIR", folder)
	return func() { _ = os.RemoveAll(folder) }
}

// options are the flags.
type options struct {
	budget time.Duration // zero: none
	again  bool
	flakes string // empty: flakes are printed alone
	dir    string // in which go runs; empty: the working folder
}

// run carries out go test with args, reports to out, and reports whether all is well.
func (o options) run(ctx context.Context, out io.Writer, args []string) (ok bool, err error) {
	res, err := o.goTest(ctx, out, args)
	if err != nil {
		return false, err
	}
	var flakes []failure
	if o.again {
		flakes, err = o.runAgain(ctx, out, res, flagsOf(args))
		if err != nil {
			return false, err
		}
	}
	res.printSkips(out)
	printFlakes(out, flakes)
	if err := o.keep(flakes); err != nil {
		return false, err
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", res.passed, len(res.failed), len(res.skipped))
	return len(res.failed) == 0, nil
}

// printTime prints how long the run took, beside the budget.
func (o options) printTime(out io.Writer, took time.Duration) {
	took = took.Round(time.Second)
	switch {
	case o.budget == 0:
		fmt.Fprintf(out, "took %s\n", took)
	case took <= o.budget:
		fmt.Fprintf(out, "took %s of %s\n", took, o.budget)
	default:
		fmt.Fprintf(out, "took %s: OVER THE BUDGET of %s\n", took, o.budget)
	}
}

// keep adds flakes to the file of -flakes.
func (o options) keep(flakes []failure) error {
	if o.flakes == "" || len(flakes) == 0 {
		return nil
	}
	f, err := os.OpenFile(o.flakes, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, flake := range flakes {
		if _, err := fmt.Fprintln(f, flake.test); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// goTest runs go test -json with args to its end. A run in which tests fail is no error.
func (o options) goTest(ctx context.Context, out io.Writer, args []string) (*result, error) {
	c := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	c.Dir, c.Stderr = o.dir, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute
	events, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	res := newResult()
	readErr := res.read(events, out)
	err = c.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		if len(res.failed) == 0 {
			return nil, fmt.Errorf("go test failed before a test did: %w", err)
		}
		err = nil
	}
	return res, errors.Join(readErr, err)
}

// flagsOf returns the flags among the arguments of go test that hold for a second run too: all that begin with a dash,
// but for those that choose tests.
func flagsOf(args []string) (flags []string) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && name != "run" && name != "skip" && name != "count" && name != "p" {
			flags = append(flags, arg)
		}
	}
	return flags
}
