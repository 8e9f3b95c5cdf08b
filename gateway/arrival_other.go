//go:build !linux

package gateway

import "net"

// arrival cannot look into a connection here: that all was written has to do.
func arrival(net.Conn) (arrived, broken bool) { return true, false }
