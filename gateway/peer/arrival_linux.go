package peer

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// States of a connection, as Linux numbers them.
const (
	tcpEstablished = 1
	tcpCloseWait   = 8 // the peer has closed its side, having read all that it was sent
)

// Arrived reports whether the peer acknowledged all that was written to conn, and whether it
// broke the connection: Linux does so if a program closes one, or dies, with something unread.
func Arrived(conn net.Conn) (arrived, broken bool) {
	sc, ok := conn.(syscall.Conn)
	if !ok { // TLS, or a test without a socket: that it was written has to do
		return true, false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false, true
	}
	err = raw.Control(func(fd uintptr) {
		info, failed := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if failed != nil { // no TCP, as a socket of the file system
			arrived = true
			return
		}
		left, failed := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ)
		broken = failed != nil || info.State != tcpEstablished && info.State != tcpCloseWait
		arrived = !broken && left == 0
	})
	return arrived && err == nil, broken || err != nil
}
