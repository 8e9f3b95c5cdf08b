package peer

import (
	"net"
	"syscall"
	"time"
)

// Watch calls gone when the client closes conn, until end is called. A goroutine waits in the
// runtime's poller until the socket becomes readable. It then checks, without reading, whether data
// has arrived or the connection has ended. Data is a pipelined request, and ends the watch. Watch
// notices a disconnect within microseconds. On a connection without a file descriptor, such as TLS,
// Watch does nothing.
func Watch(conn net.Conn, gone func()) (end func()) {
	sc, ok := conn.(syscall.Conn)
	if !ok { // TLS, or a test without a socket
		return func() {}
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return func() {}
	}
	_ = conn.SetReadDeadline(time.Time{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = raw.Read(func(fd uintptr) bool {
			closed, sent := peek(fd)
			if closed {
				gone()
			}
			return closed || sent
		})
	}()
	return func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // wakes the poller
		<-done
		_ = conn.SetReadDeadline(time.Time{})
	}
}
