package artifacts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"testing"

	"github.com/windieos/windie/artifacts"
)

func TestFull(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		syscall.ENOSPC: true,
		&fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}:                                              true,
		fmt.Errorf("storing: %w", errors.Join(errors.New("x"), &fs.PathError{Op: "sync", Err: syscall.EDQUOT})): true,
		syscall.EACCES:          false,
		syscall.EFBIG:           false,
		syscall.Errno(112):      runtime.GOOS == "windows", // EHOSTDOWN on Linux
		errors.New("disk full"): false,
		nil:                     false,
	} {
		t.Run(fmt.Sprint(err), func(t *testing.T) {
			if got := artifacts.Full(err); got != want {
				t.Errorf("%v: %v", err, got)
			}
		})
	}
}
