package peer

import (
	"net"
	"syscall"
	"time"
)

// Watch calls gone when the peer closes conn, until end is called. A
// goroutine parks in the runtime's poller until the socket becomes readable,
// then looks, without reading, whether that is data (a pipelined request: the
// watch is over) or the end. It notices in microseconds, without polling.
func Watch(conn net.Conn, gone func()) (end func()) {
	sc, ok := conn.(syscall.Conn)
	if !ok { // TLS, a test without a socket, or nothing to watch
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
