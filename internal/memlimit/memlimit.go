// Package memlimit finds the process's memory limit, keeps Go's memory within a part of it, and
// returns idle memory to the system.
//
//	limit := memlimit.Find()
//	memlimit.Keep(limit)
//	go memlimit.Release(ctx)
package memlimit

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Keep makes Go collect garbage more often when Go's memory approaches 9/16 of limit, which is in
// bytes. The other 7/16 are for memory that Go does not count, and for the kernel's file cache. If
// the environment variable GOMEMLIMIT is set, Keep does nothing.
func Keep(limit int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 16 * 9)
	}
}

// Find returns the process's memory limit in bytes: the smallest limit of its control groups
// (versions 1 and 2), or the machine's memory.
func Find() int64 { return findIn("/", physical()) }

// findIn is Find for a machine with the root folder root. total is the machine's memory in bytes as
// the kernel reports it, 0 if unknown.
func findIn(root string, total int64) int64 {
	least := machine(root, total)
	for _, group := range groups(root) {
		for {
			for _, file := range []string{"memory.max", "memory.limit_in_bytes"} {
				if n, ok := number(filepath.Join(group.mount, group.path, file)); ok {
					least = min(least, n)
				}
			}
			if group.path == "/" || group.path == "." {
				break
			}
			group.path = filepath.Dir(group.path)
		}
	}
	return least
}

// group is a control group: a folder below a mount point.
type group struct{ mount, path string }

// groups returns the process's control groups that may limit memory. In a container, a path may
// refer to the host; then the mount itself is the group.
func groups(root string) (list []group) {
	data, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // id, controllers, path
		switch {
		case len(parts) < 3:
		case parts[1] == "":
			list = append(list, group{filepath.Join(root, "sys/fs/cgroup"), parts[2]}, group{filepath.Join(root, "sys/fs/cgroup/unified"), parts[2]})
		case strings.Contains(","+parts[1]+",", ",memory,"):
			list = append(list, group{filepath.Join(root, "sys/fs/cgroup/memory"), parts[2]})
		}
	}
	return list
}

// number reads a limit from a file. It returns false for "max".
func number(file string) (int64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil && n > 0
}

// machine returns the machine's memory in bytes: from /proc, or else total, or else one gibibyte.
func machine(root string, total int64) int64 {
	const kib = 1 << 10
	fallback := total
	if fallback <= 0 {
		fallback = 1 << 30
	}
	file, err := os.Open(filepath.Join(root, "proc/meminfo"))
	if err != nil {
		return fallback
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "MemTotal:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			if err == nil && n > 0 && n < math.MaxInt64/kib {
				return n * kib
			}
		}
	}
	return fallback
}
