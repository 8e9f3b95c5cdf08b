package wasmtools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// wasi names functions of WASI.
func wasi(functions ...string) (list []string) {
	for _, f := range functions {
		list = append(list, wasiModule+"."+f)
	}
	return list
}

// i32s stores numbers one after the other.
func i32s(at int, values ...int) []byte {
	var all [][]byte
	for i, v := range values {
		all = append(all, w.I32(at+4*i), w.I32(v), w.Store(0))
	}
	return w.Seq(all...)
}

// sleep waits for nanoseconds: a subscription to a clock.
func sleep(g *handmade, ns int) []byte {
	const subscription, event, count = 0x700, 0x780, 0x7c0
	return w.Seq(w.I32(subscription+24), w.I64(ns), w.Op(0x37, w.U(3), w.U(0)), // i64.store
		g.try("poll_oneoff", w.I32(subscription), w.I32(event), w.I32(1), w.I32(count)))
}

// sameBuffers stores n buffers that are all the same.
func sameBuffers(n, at, bytes int) []byte {
	const list = onePage
	return w.Seq(w.I32(0), w.Set(0), w.Loop(
		w.I32(list), w.Get(0), w.I32(8), w.Mul, w.Add, w.Tee(1), w.I32(at), w.Store(0), w.Get(1), w.I32(bytes), w.Store(4),
		w.Get(0), w.I32(1), w.Add, w.Tee(0), w.I32(n), w.LtU, w.BrIf(0)))
}

// TestHostileWASI attacks through the functions that the engine has for
// programs, which know nothing of a call's end.
func TestHostileWASI(t *testing.T) {
	const mib = 1 << 20
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "large"), make([]byte, 14*mib), 0o600); err != nil {
		t.Fatal(err)
	}
	mounted := wasmtools.Grant{Permissions: wasmtools.Permissions{FS: []wasmtools.Mount{{Path: folder, At: "/data", Write: true}}}}
	survive(t, []attack{
		{name: "sleep past the deadline", imports: wasi("poll_oneoff"), body: func(g *handmade) []byte { return sleep(g, 10e9) }, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "sleep for nothing", imports: wasi("poll_oneoff"), body: func(g *handmade) []byte { return w.Forever(sleep(g, 0)) }, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "sleep for ever", imports: wasi("poll_oneoff"), body: func(g *handmade) []byte { return w.Forever(sleep(g, -1)) }, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "sleep again and again", imports: wasi("poll_oneoff"), body: func(g *handmade) []byte { return w.Forever(sleep(g, 1e6)) }, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "a hundred thousand sleeps at once", pages: 240, imports: wasi("poll_oneoff"), body: func(g *handmade) []byte {
			return w.Forever(g.try("poll_oneoff", w.I32(onePage), w.I32(8*mib), w.I32(100_000), w.I32(0)))
		}, code: sdkapi.ToolError, says: "more than 4096 events in one call"},
		{name: "events whose number overflows", imports: wasi("poll_oneoff"), body: func(g *handmade) []byte {
			return w.Forever(g.try("poll_oneoff", w.I32(0), w.I32(0), w.I32(0x10000000), w.I32(0)))
		}, code: sdkapi.ToolError, says: "more than 4096 events in one call"},
		{name: "yielding", imports: wasi("sched_yield"), body: func(g *handmade) []byte { return w.Forever(g.try("sched_yield")) }, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "looking at the clock", imports: wasi("clock_time_get"), body: func(g *handmade) []byte {
			return w.Forever(g.try("clock_time_get", w.I32(0), w.I64(1), w.I32(0)))
		}, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "looking at the clock through a table", imports: wasi("clock_time_get"), body: func(g *handmade) []byte {
			g.Table(1, 1).Element(g.imported["clock_time_get"])
			return w.Forever(w.I32(0), w.I64(1), w.I32(0), w.I32(0), w.CallIndirect(g.Sig("ili", "i")), w.Drop)
		}, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "random numbers by the megabyte", pages: 240, imports: wasi("random_get"), body: func(g *handmade) []byte {
			return w.Forever(g.try("random_get", w.I32(onePage), w.I32(14*mib)))
		}, code: sdkapi.ToolError, says: "limit random_bytes of 1048576"},
		{name: "random numbers byte by byte", imports: wasi("random_get"), body: func(g *handmade) []byte {
			return w.Forever(g.try("random_get", w.I32(0), w.I32(1)))
		}, grant: limits(wasmtools.Limits{RandomBytes: 10_000}), code: sdkapi.ToolError, says: "limit random_bytes of 10000"},
		{name: "a path of megabytes", pages: 240, imports: wasi("path_open"), grant: mounted, body: func(g *handmade) []byte {
			fill := w.Seq(w.I32(onePage), w.I32('a'), w.I32(14*mib), w.MemoryFill())
			return w.Seq(fill, w.Forever(g.try("path_open", w.I32(3), w.I32(0), w.I32(onePage), w.I32(14*mib), w.I32(0), w.I64(0), w.I64(0), w.I32(0), w.I32(0))))
		}, code: sdkapi.ToolError, says: "more than 65536 bytes in a path"},
		{name: "reading a file again and again", pages: 240, imports: wasi("path_open", "fd_pread"), grant: mounted, body: func(g *handmade) []byte {
			g.Text(0x100, "large")
			open := g.try("path_open", w.I32(3), w.I32(0), w.I32(0x100), w.I32(5), w.I32(0), w.I64(2), w.I64(2), w.I32(0), w.I32(0x200))
			return w.Seq(open, i32s(0x300, onePage, 14*mib), w.Forever(w.I32(0x200), w.Load(0), w.I32(0x300), w.I32(1), w.I64(0), w.I32(0x400), g.host("fd_pread"), w.Drop))
		}, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "paths that lead up and down", pages: 2, imports: wasi("path_filestat_get"), grant: mounted, body: func(g *handmade) []byte {
			g.Text(0x300, "./a/../")
			return w.Seq(repeatText("./a/../", 9000), w.Forever(g.try("path_filestat_get", w.I32(3), w.I32(0), w.I32(onePage), w.I32(7*9000), w.I32(0))))
		}, code: sdkapi.Timeout, says: "wall_ms"},
	})
}

// TestHostileExits ends the program, whose memory is gone then.
func TestHostileExits(t *testing.T) {
	survive(t, []attack{
		{name: "exit with success", imports: wasi("proc_exit"), body: func(g *handmade) []byte { return g.try("proc_exit", w.I32(0)) }, code: sdkapi.ToolError, says: "the answer is empty"},
		{name: "exit with a code", imports: wasi("proc_exit"), body: func(g *handmade) []byte { return g.try("proc_exit", w.I32(7)) }, code: sdkapi.ToolError, says: "exited with code 7"},
		{name: "exit with success, reused", imports: wasi("proc_exit"), grant: wasmtools.Grant{Isolation: wasmtools.Reuse},
			body: func(g *handmade) []byte { return g.try("proc_exit", w.I32(0)) }, code: sdkapi.ToolError, says: "the answer is empty"},
		{name: "exit with success after an answer", imports: wasi("proc_exit"), body: func(g *handmade) []byte {
			return w.Seq(g.say(atAnswer, goodAnswer), g.try("proc_exit", w.I32(0)))
		}},
	})
}

// TestHostileStreams attacks by what it prints and reads.
func TestHostileStreams(t *testing.T) {
	const mib = 1 << 20
	flood := func(file, bytes int) func(g *handmade) []byte {
		return func(g *handmade) []byte { return w.Forever(g.print(file, "fd_write", onePage, bytes)) }
	}
	many := func(file, n, bytes int) func(g *handmade) []byte {
		return func(g *handmade) []byte {
			return w.Seq(sameBuffers(n, onePage, bytes), w.Forever(g.try("fd_write", w.I32(file), w.I32(onePage), w.I32(n), w.I32(0))))
		}
	}
	survive(t, []attack{
		{name: "flood of standard output", kind: abi.Command, pages: 240, body: flood(1, 14*mib), code: sdkapi.ToolError, says: "limit output_bytes of 4194304"},
		{name: "flood of standard error", kind: abi.Command, pages: 240, body: flood(2, 14*mib), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "flood of empty lines", kind: abi.Command, pages: 240, body: func(g *handmade) []byte {
			return w.Seq(w.I32(onePage), w.I32('\n'), w.I32(14*mib), w.MemoryFill(), flood(2, 14*mib)(g))
		}, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "a million buffers", pages: 240, imports: wasi("fd_write"), body: many(2, 1_000_000, 0), code: sdkapi.ToolError, says: "more than 4096 buffers in one call"},
		{name: "buffers of nothing", pages: 240, imports: wasi("fd_write"), body: many(2, 4096, 0), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "all of memory again and again", pages: 240, imports: wasi("fd_write"), body: many(2, 4096, 14*mib), code: sdkapi.ToolError, says: "in the buffers of one call"},
		{name: "reading with a million buffers", kind: abi.Command, pages: 240, body: func(g *handmade) []byte {
			return w.Seq(sameBuffers(1_000_000, 0, 1), w.Forever(g.try("fd_read", w.I32(0), w.I32(onePage), w.I32(1_000_000), w.I32(0))))
		}, code: sdkapi.ToolError, says: "buffers in one call"},
	})
}

// TestStandardStreamsStay closes and renumbers all files, and must find them
// in the next call as they were. The hole this looks for is one call leaving
// word to the next.
func TestStandardStreamsStay(t *testing.T) {
	t.Parallel()
	functions := wasi("fd_close", "fd_renumber", "fd_fdstat_set_flags", "fd_fdstat_get", "fd_seek", "fd_tell", "fd_write")
	look := func(g *handmade) []byte { // answers with what it can learn of files 0 to 4
		var all [][]byte
		for file := range 5 {
			at := 0x800 + file*64
			all = append(all,
				w.I32(at), g.host("fd_fdstat_get", w.I32(file), w.I32(at+8)), w.Store(0),
				w.I32(at+4), g.host("fd_tell", w.I32(file), w.I32(at+40)), w.Store(0))
		}
		return w.Seq(w.Seq(all...), g.try("error_write", w.I32(0x800), w.I32(5*64)))
	}
	change := func(g *handmade) []byte {
		var all [][]byte
		for file := range 5 {
			all = append(all, g.try("fd_fdstat_set_flags", w.I32(file), w.I32(4)), g.try("fd_seek", w.I32(file), w.I64(3), w.I32(0), w.I32(0)),
				g.try("fd_renumber", w.I32(file), w.I32(4-file)), g.try("fd_close", w.I32(file)))
		}
		return w.Seq(all...)
	}
	g := newHandmade(abi.Bulk, 1, 1, functions...)
	module := g.finish(map[byte][]byte{'l': look(g), 'c': change(g)})
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh} {
		p := openSource(t, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation}, wasmtools.Source{Name: "files", Module: module})
		_, _, before := call(t.Context(), t, p, "look", `{}`)
		if _, _, err := call(t.Context(), t, p, "change", `{}`); err != nil {
			t.Fatal(err)
		}
		_, _, after := call(t.Context(), t, p, "look", `{}`)
		if before == nil || after == nil || before.Error() != after.Error() {
			t.Errorf("%s: before %q, after %q", isolation, before, after)
		}
	}
}

// TestHostileFiles has a guest with a folder that it may change reach for what
// lies beside it: by a link it makes, one that is there, and up the tree.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "data")
	secret := filepath.Join(base, "secret")
	for _, err := range []error{os.Mkdir(dir, 0o700), os.WriteFile(secret, []byte("SECRET"), 0o600), os.Symlink("../secret", filepath.Join(dir, "link"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := func(g *handmade, at int, s string) [][]byte { g.Text(at, s); return [][]byte{w.I32(at), w.I32(len(s))} }
	g := newHandmade(abi.Bulk, 1, 1, wasi("path_open", "path_symlink", "path_readlink", "path_link", "path_rename", "fd_read", "fd_pread", "fd_close")...)
	read := func(path string) []byte { // answers with what the file begins with
		at := 0x1000 + 0x100*len(g.Data)
		args := append([][]byte{w.I32(3), w.I32(1)}, text(g, at, path)...)
		args = append(args, w.I32(0), w.I64(2), w.I64(2), w.I32(0), w.I32(0x100))
		iov := i32s(0x200, 0x800, 6)
		return w.Seq(g.try("path_open", args...), iov, w.I32(0x100), w.Load(0), w.I32(0x200), w.I32(1), w.I32(0x300), g.host("fd_read"), w.Drop,
			g.try("error_write", w.I32(0x800), w.I32(6)))
	}
	symlink := append(text(g, 0x400, "../secret"), append([][]byte{w.I32(3)}, text(g, 0x500, "made")...)...)
	tools := map[byte][]byte{
		'a': read("link"), 'b': w.Seq(g.try("path_symlink", symlink...), read("made")), 'c': read("../secret"), 'd': read(secret),
		'e': read("./x/../../secret"), 'f': read("link/."), 'h': read("in"),
	}
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("INSIDE"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{Permissions: wasmtools.Permissions{FS: []wasmtools.Mount{{Path: dir, At: "/data", Write: true}}}},
		wasmtools.Source{Name: "files", Module: g.finish(tools)})
	for letter := range tools {
		t.Run(fmt.Sprint(letter), func(t *testing.T) {
			_, _, err := call(t.Context(), t, p, string(letter), `{}`)
			if err == nil || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "INSIDE") != (letter == 'h') {
				t.Errorf("%c: %v", letter, err)
			}
		})
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || !slices.Equal(names, []string{filepath.Join(dir, "in"), filepath.Join(dir, "link")}) {
		t.Errorf("the folder has %q, %v", names, err)
	}
}
