// Command guest runs inside WebAssembly in the tests, with a mount at /data. Its first argument
// names the action. It prints the result.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing/fstest"
	"time"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 path_open
func pathOpen(dir int32, lookup uint32, path unsafe.Pointer, length uint32, oflags uint32, rights, inheriting uint64, flags uint32, fd unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 path_symlink
func pathSymlink(old unsafe.Pointer, oldLength uint32, dir int32, path unsafe.Pointer, length uint32) uint32

// preopened is the handle of the first mount.
const preopened = 3

var acts = map[string]func(args []string) error{
	"work": work, "list": list, "walk": walk, "try": try, "raw": raw, "flip": flip, "fill": fill, "hold": hold, "append": appendTo,
}

func main() {
	if err := acts[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// work does typical file operations of programs, in an empty mount.
func work([]string) error {
	when := time.Date(2001, 2, 3, 4, 5, 6, 7000, time.UTC)
	steps := []func() error{
		func() error { return os.Mkdir("/data/sub", 0o777) },
		func() error { return os.WriteFile("/data/sub/a.txt", []byte("hello"), 0o666) },
		func() error { return is("/data/sub/a.txt", "hello") },
		func() error { return write("/data/sub/a.txt", os.O_APPEND|os.O_WRONLY, " there") },
		func() error { return is("/data/sub/a.txt", "hello there") },
		func() error { return os.Truncate("/data/sub/a.txt", 4) },
		func() error { return is("/data/sub/a.txt", "hell") },
		func() error { return write("/data/sub/a.txt", os.O_RDWR|os.O_TRUNC, "new") },
		func() error { return is("/data/sub/a.txt", "new") },
		func() error {
			return want(write("/data/sub/a.txt", os.O_CREATE|os.O_EXCL|os.O_WRONLY, ""), fs.ErrExist)
		},
		func() error { return want(os.Mkdir("/data/sub", 0o700), fs.ErrExist) },
		func() error { return want(os.Remove("/data/sub"), syscall.ENOTEMPTY) },
		func() error { return os.Rename("/data/sub/a.txt", "/data/b.txt") },
		func() error { return os.Chtimes("/data/b.txt", when, when) },
		func() error { return stat("/data/b.txt", 3, when) },
		seek,
		func() error { return os.Mkdir("/data/empty", 0o700) },
		// os.Rename cannot replace a folder
		func() error { return syscall.Rename("/data/sub", "/data/empty") },
		func() error { return os.Remove("/data/empty") },
		func() error { return os.Remove("/data/b.txt") },
		func() error { _, err := os.Stat("/data/b.txt"); return want(err, fs.ErrNotExist) },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	fmt.Println("worked")
	return nil
}

func is(name, text string) error {
	got, err := os.ReadFile(name)
	if err == nil && string(got) != text {
		err = fmt.Errorf("%s holds %q and not %q", name, got, text)
	}
	return err
}

func write(name string, flag int, text string) error {
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func want(err, target error) error {
	if !errors.Is(err, target) {
		return fmt.Errorf("got %v and not %v", err, target)
	}
	return nil
}

func stat(name string, size int64, when time.Time) error {
	info, err := os.Stat(name)
	if err == nil && (info.Size() != size || !info.ModTime().Equal(when) || !info.Mode().IsRegular()) {
		err = fmt.Errorf("%s has %d bytes of %v, %v", name, info.Size(), info.ModTime(), info.Mode())
	}
	return err
}

// seek moves the position in a file.
func seek() error {
	f, err := os.OpenFile("/data/b.txt", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var buf [2]byte
	if _, err := f.WriteAt([]byte("XY"), 5); err != nil {
		return err
	}
	if _, err := f.Seek(-2, io.SeekEnd); err != nil {
		return err
	}
	if _, err := io.ReadFull(f, buf[:]); err != nil || string(buf[:]) != "XY" {
		return fmt.Errorf("read %q, %w", buf, err)
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return is("/data/b.txt", "new\x00\x00XY")
}

// list creates the given number of files and lists them in each way that Go has.
func list(args []string) error {
	n, _ := strconv.Atoi(args[0])
	for i := range n {
		if err := os.WriteFile(fmt.Sprintf("/data/file-with-quite-a-long-name-%04d", i), nil, 0o600); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir("/data")
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	dir, err := os.Open("/data")
	if err != nil {
		return err
	}
	defer dir.Close()
	slow := 0
	for {
		few, err := dir.ReadDir(7)
		slow += len(few)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	fmt.Println(len(entries), len(names), slow)
	return nil
}

// walk checks the mount with Go's file system tests. Its arguments are files that must be there.
func walk(args []string) error {
	if err := fstest.TestFS(os.DirFS("/data"), args...); err != nil {
		return err
	}
	a, err := os.Stat("/data/" + args[0])
	if err != nil {
		return err
	}
	b, err := os.Stat("/data/" + args[1])
	if err != nil {
		return err
	}
	fmt.Println("walked", os.SameFile(a, a), os.SameFile(a, b))
	return nil
}

// try performs actions in order, each "what:path" or "what:path:path", and prints each result.
func try(args []string) error {
	for _, arg := range args {
		p := strings.Split(arg, ":")
		var err error
		var text []byte
		switch p[0] {
		case "read":
			text, err = os.ReadFile(p[1])
		case "write":
			err = os.WriteFile(p[1], []byte("written"), 0o600)
		case "mkdir":
			err = os.Mkdir(p[1], 0o700)
		case "remove":
			err = os.Remove(p[1])
		case "rename":
			err = os.Rename(p[1], p[2])
		case "symlink":
			err = os.Symlink(p[1], p[2])
		case "link":
			err = os.Link(p[1], p[2])
		case "readdir":
			var entries []os.DirEntry
			entries, err = os.ReadDir(p[1])
			text = fmt.Append(nil, len(entries))
		case "stat":
			_, err = os.Stat(p[1])
		case "chtimes":
			err = os.Chtimes(p[1], time.Unix(1, 0), time.Unix(1, 0))
		case "truncate":
			err = os.Truncate(p[1], 0)
		}
		var number syscall.Errno
		switch {
		case errors.As(err, &number):
			fmt.Printf("%s = error %d %s\n", arg, number, number)
		case err != nil:
			fmt.Printf("%s = error %v\n", arg, err)
		default:
			fmt.Printf("%s = ok %s\n", arg, text)
		}
	}
	return nil
}

// raw opens paths and makes links by system calls, without the changes that Go's library makes.
func raw(args []string) error {
	for _, arg := range args {
		path := []byte(strings.ReplaceAll(arg, "NUL", "\x00"))
		var fd int32
		for _, flags := range [][2]uint32{{0, 0}, {1, 0}, {1, 2}, {1, 1}, {1, 9}} { // follow, O_DIRECTORY, O_CREAT, O_TRUNC
			errno := pathOpen(preopened, flags[0], unsafe.Pointer(&path[0]), uint32(len(path)), flags[1], 2|64, 0, 0, unsafe.Pointer(&fd))
			if errno != 0 {
				fmt.Printf("%q %v: errno %d\n", arg, flags, errno)
				continue
			}
			text := make([]byte, 100)
			n, _ := syscall.Read(int(fd), text)
			fmt.Printf("%q %v: OPENED %q\n", arg, flags, text[:max(n, 0)])
		}
		link := []byte("new-link")
		fmt.Printf("link to %q: errno %d\n", arg, pathSymlink(unsafe.Pointer(&path[0]), uint32(len(path)), preopened, unsafe.Pointer(&link[0]), uint32(len(link))))
	}
	return nil
}

// flip reads a file repeatedly while the host exchanges its folder, and counts the results.
func flip(args []string) error {
	n, _ := strconv.Atoi(args[0])
	found := map[string]int{}
	for range n {
		text, err := os.ReadFile("/data/dir/file")
		if err != nil {
			text = []byte("error")
		}
		found[string(text)]++
		_ = os.WriteFile("/data/dir/new", []byte("guest"), 0o600)
		_ = os.Rename("/data/dir/new", "/data/dir/newer")
		entries, _ := os.ReadDir("/data/dir")
		for _, e := range entries {
			found["saw "+e.Name()]++
		}
	}
	var keys []string
	for k := range found {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Println(k, found[k])
	}
	return nil
}

// fill writes a file in blocks until that fails.
func fill(args []string) error {
	f, err := os.Create(args[0])
	if err != nil {
		return err
	}
	for block := make([]byte, 1000); ; {
		if _, err := f.Write(block); err != nil {
			info, _ := f.Stat()
			fmt.Println(info.Size(), errors.Is(err, syscall.EIO))
			return f.Close()
		}
	}
}

// hold opens a file until that fails, and ends without closing any.
func hold(args []string) error {
	n := 0
	for ; ; n++ {
		if _, err := syscall.Open(args[0], os.O_RDONLY, 0); err != nil {
			fmt.Println(n, errors.Is(err, syscall.EIO))
			return nil
		}
	}
}

// appendTo appends a line the given number of times.
func appendTo(args []string) error {
	n, _ := strconv.Atoi(args[1])
	for range n {
		if err := write("/data/log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, args[0]+"\n"); err != nil {
			return err
		}
	}
	return nil
}
