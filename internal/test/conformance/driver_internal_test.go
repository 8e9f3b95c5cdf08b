package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// slow bounds the wait for the longest line, which the race detector makes many times slower.
const slow = 5 * time.Minute

// shellDriver starts a driver that answers its first call with a text of size bytes.
func shellDriver(t *testing.T, size int) *Driver {
	t.Helper()
	const script = `#!/bin/sh
echo '{"language": "shell"}'
read -r line
printf '{"id":1,"ok":"'
head -c %d /dev/zero | tr '\0' x
echo '"}'
cat >/dev/null
`
	at := filepath.Join(t.TempDir(), "driver.sh")
	if err := os.WriteFile(at, fmt.Appendf(nil, script, size), 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := Start(t.Context(), []string{at})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}
