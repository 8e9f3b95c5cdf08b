package memlimit

import (
	"context"
	"os"
	"path/filepath"
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
		want  int64
	}{
		{"a machine", map[string]string{"proc/meminfo": "MemFree: 1 kB\nMemTotal:       8388608 kB\n"}, 8 * gib},
		{"nothing", nil, gib},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "536870912\n", "proc/meminfo": "MemTotal: 8388608 kB\n"}, gib / 2},
		{"a container of version 2", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, gib / 4},
		{"version 1", map[string]string{"proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1000000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 1_000_000},
		{"a container of version 1", map[string]string{"proc/self/cgroup": "4:memory:/docker/1f\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "2000000\n"}, 2_000_000},
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
			if got := findIn(root); got != tt.want {
				t.Errorf("%d, not %d", got, tt.want)
			}
		})
	}
}

// Memory is given back once, within half a minute after the work, and not during it.
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
