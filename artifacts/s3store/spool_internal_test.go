package s3store

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// TestFullSpoolIsTold checks the error of the gateway's own disk, which differs from the server's.
func TestFullSpoolIsTold(t *testing.T) {
	t.Parallel()
	for code, want := range map[syscall.Errno]sdkapi.Code{syscall.ENOSPC: sdkapi.StorageFull, syscall.EACCES: sdkapi.StorageUnavailable} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			f := fault.From(spoolFault("test", &fs.PathError{Op: "write", Path: "f", Err: code}))
			if f.Code != want || !strings.Contains(f.Message, "the gateway") {
				t.Errorf("%v: %v", code, f)
			}
		})
	}
}
