package dirstore

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// TestFullDiskIsTold looks at what a full disk is called, on systems that have
// none to offer as well.
func TestFullDiskIsTold(t *testing.T) {
	t.Parallel()
	for code, want := range map[syscall.Errno]sdkapi.Code{
		syscall.ENOSPC: sdkapi.StorageFull, syscall.EDQUOT: sdkapi.StorageFull, syscall.EROFS: sdkapi.StorageUnavailable,
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			if got := fault.CodeOf(unwritable("test", &fs.PathError{Op: "write", Path: "f", Err: code})); got != want {
				t.Errorf("%v: %s, want %s", code, got, want)
			}
		})
	}
}
