package memlimit

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestFind(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for _, tt := range []struct {
		name  string
		files map[string]string
		total int64
		want  int64
	}{
		{"a machine", map[string]string{"proc/meminfo": "MemFree: 1 kB\nMemTotal:       8388608 kB\n"}, 0, 8 * gib},
		{"nothing", nil, 0, gib},
		{"a sandbox without meminfo", nil, 24 * gib, 24 * gib},
		{"a sandbox of version 2 without meminfo", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "2147483648\n"}, 24 * gib, 2 * gib},
		{"a machine whose files say less", map[string]string{"proc/meminfo": "MemTotal: 8388608 kB\n"}, 24 * gib, 8 * gib},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "536870912\n", "proc/meminfo": "MemTotal: 8388608 kB\n"}, 0, gib / 2},
		{"a container of version 2", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 0, gib / 4},
		{"version 1", map[string]string{"proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1000000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0, 1_000_000},
		{"a container of version 1", map[string]string{"proc/self/cgroup": "4:memory:/docker/1f\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "2000000\n"}, 0, 2_000_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range tt.files {
				name = filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := findIn(root, tt.total); got != tt.want {
				t.Errorf("%d, not %d", got, tt.want)
			}
		})
	}
}

// TestPhysical checks that the machine's memory is known without /proc.
func TestPhysical(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // nobody says
	}
	if got, want := physical(), machine("/", 0); got < want/8*7 { // which may be what a container has of it
		t.Errorf("%d, and by its files %d", got, want)
	}
}

// TestRelease checks that memory is released once, within half a minute after the work, and not
// during the work.
func TestRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		worked := func() time.Duration { return min(time.Since(start), time.Minute) } // a minute of work
		ctx, cancel := context.WithCancel(t.Context())
		var freed []time.Duration
		go release(ctx, func() uint64 { return uint64(worked()/time.Second) * (20 << 20) }, func() { freed = append(freed, time.Since(start)) })
		time.Sleep(10 * time.Minute)
		cancel()
		synctest.Wait()
		if len(freed) != 1 || freed[0] < time.Minute || freed[0] > 90*time.Second {
			t.Errorf("memory was given back after %v", freed)
		}
	})
}
