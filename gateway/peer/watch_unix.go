//go:build unix

package peer

import (
	"errors"
	"syscall"
)

// peek inspects a socket without waiting and without reading from it. closed means that the client
// has closed or broken the connection; sent means that unread data has arrived.
func peek(fd uintptr) (closed, sent bool) {
	var b [1]byte
	n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	switch {
	case n > 0:
		return false, true
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
		return false, false
	}
	return true, false // end of stream, or reset
}
