package abi

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// wasiNames are the functions of WASI preview 1 that the engine implements.
var wasiNames = strings.Fields(`args_get args_sizes_get clock_res_get clock_time_get environ_get environ_sizes_get
	fd_advise fd_allocate fd_close fd_datasync fd_fdstat_get fd_fdstat_set_flags fd_fdstat_set_rights fd_filestat_get
	fd_filestat_set_size fd_filestat_set_times fd_pread fd_prestat_dir_name fd_prestat_get fd_pwrite fd_read fd_readdir
	fd_renumber fd_seek fd_sync fd_tell fd_write path_create_directory path_filestat_get path_filestat_set_times path_link
	path_open path_readlink path_remove_directory path_rename path_symlink path_unlink_file poll_oneoff proc_exit proc_raise
	random_get sched_yield sock_accept sock_recv sock_send sock_shutdown`)

// clockStep is the resolution of guests' clocks. A finer clock would help timing attacks.
const clockStep = sys.ClockResolution(time.Microsecond)

// WASI returns config with the standard streams, the clocks and the random numbers of c's run. If
// output is true, the guest's standard output becomes its answer. Otherwise, the standard output is
// logged.
func (c *Call) WASI(config wazero.ModuleConfig, output bool) wazero.ModuleConfig {
	stdout := io.Writer(stderr{c})
	if output {
		stdout = answerWriter{c}
	}
	return config.WithStdin(stdin{c}).WithStdout(stdout).WithStderr(stderr{c}).WithRandSource(random{c}).
		WithWalltime(c.walltime, clockStep).WithNanotime(c.nanotime, clockStep).WithNanosleep(c.sleep).WithOsyield(c.check)
}

// stdin reads the input of the run.
type stdin struct{ *Call }

// Read copies the next part of the run's input to p. After Stop it fails with ErrStopped.
func (c stdin) Read(p []byte) (int, error) {
	if c.stopped.Load() {
		return 0, ErrStopped
	}
	if len(c.unread) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// answerWriter appends to the output. Above the limit it ends the run: a guest that ignores write
// errors would continue in vain.
type answerWriter struct{ *Call }

// Write appends p to the guest's output, and always reports success. If the output would exceed its
// limit, Write ends the guest and does not return.
func (c answerWriter) Write(p []byte) (int, error) {
	c.write(p)
	return len(p), nil
}

// stderr logs the guest's standard error.
type stderr struct{ *Call }

// Write logs the whole lines of p. It stores an unfinished last line until the next call; see
// print.
func (c stderr) Write(p []byte) (int, error) { return c.print(p) }

// random returns random bytes, up to the limit.
type random struct{ *Call }

// Read fills p with random bytes. It fails if the plugin lacks the permission random. Beyond the
// limit of random bytes, Read ends the guest and does not return.
func (c random) Read(p []byte) (int, error) {
	if err := c.readRandom(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// readRandom fills p with random bytes. It ends the call beyond its limit of random bytes.
func (c *Call) readRandom(p []byte) error {
	c.check()
	if c.host == nil {
		return errors.New("random numbers are only available during a call, and no call is running")
	}
	c.random += len(p)
	c.limit(c.random, c.limits.RandomBytes, "random_bytes")
	return c.host.Random(p)
}

// walltime returns the time, or 1970 without the permission.
func (c *Call) walltime() (sec int64, nsec int32) {
	now, err := c.host.Now()
	if err != nil {
		return 0, 0
	}
	return now.Unix(), int32(now.Nanosecond())
}

// nanotime returns the monotonic clock of the host, which needs no permission.
func (c *Call) nanotime() int64 { return c.host.Monotonic() }

// sleep waits for ns nanoseconds. It ends the guest at Limits.Deadline, or when the context of the
// run ends.
func (c *Call) sleep(ns int64) {
	if ns <= 0 {
		c.check()
		return
	}
	ctx, done := c.bounded(c.ctx)
	defer done()
	_, err := outside(c, func() (struct{}, error) {
		timer := time.NewTimer(time.Duration(ns))
		defer timer.Stop()
		select {
		case <-timer.C:
			return struct{}{}, nil
		case <-ctx.Done():
			return struct{}{}, ErrStopped
		}
	})
	c.endOn(err)
}

// Error numbers of WASI (its witx, typename errno).
const (
	wasiSuccess      = 0
	wasiBadFile      = 8
	wasiNotSupported = 58
)

// keepFiles replaces the functions that change the table of open files. Without a folder only the
// standard streams are open. Closing or renumbering one would affect later calls.
func keepFiles(b wazero.HostModuleBuilder) {
	answer := func(name, params string, run func(file uint32) uint64) {
		f := function{params, "i", func(_ *Call, _ context.Context, _ api.Module, s []uint64) { s[0] = run(uint32(s[0])) }}
		f.export(b, name)
	}
	onStream := func(file uint32) uint64 {
		if file > 2 {
			return wasiBadFile
		}
		return wasiSuccess
	}
	answer("fd_close", "i", onStream)
	answer("fd_fdstat_set_flags", "ii", onStream)
	answer("fd_fdstat_set_rights", "ijj", onStream)
	// the engine's version needs an open file
	answer("fd_filestat_set_times", "ijji", func(uint32) uint64 { return wasiNotSupported })
	answer("fd_renumber", "ii", func(uint32) uint64 { return wasiNotSupported })
}
