// Package memlimit finds how much memory the process may take, keeps Go within a part of it, and
// gives back what is idle.
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

// Keep has Go collect garbage more often as its memory comes near nine sixteenths of limit: the rest is
// for what Go does not count, and for the kernel's pages of files. The variable GOMEMLIMIT, if set,
// says otherwise.
func Keep(limit int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 16 * 9)
	}
}

// Find returns how many bytes the process may take: the least limit of its control groups (versions
// 1 and 2), or the machine's memory.
func Find() int64 { return findIn("/", physical()) }

// findIn is Find on a machine whose root folder is root, and whose kernel says that it has total bytes, 0 for nothing.
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

// group is a control group: a folder below one that is mounted.
type group struct{ mount, path string }

// groups lists the process's groups that may limit memory. Within a container the path may be one
// of the machine outside, and then the mount itself is the group.
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

// number reads a limit from a file; "max" is none.
func number(file string) (int64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil && n > 0
}

// machine returns the memory of the machine, total if /proc does not say, as in a sandbox, or a gibibyte where nobody does.
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
