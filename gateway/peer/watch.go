package peer

import (
	"net"
	"syscall"
	"time"
)

// Watch calls the function disconnected when the client closes conn. The caller must call release to
// end the watch. The watch also ends when the client sends more data, because this is a pipelined
// request. On a connection without a file descriptor, such as TLS, Watch does nothing.
func Watch(conn net.Conn, disconnected func()) (release func()) {
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
		// waits in the runtime's poller until the socket is readable; peek does not read from it
		_ = raw.Read(func(fd uintptr) bool {
			closed, sent := peek(fd)
			if closed {
				disconnected()
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
