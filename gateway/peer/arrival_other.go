//go:build !linux

package peer

import "net"

// Arrived cannot look into a connection here: that all was written has to do.
func Arrived(net.Conn) (arrived, broken bool) { return true, false }
