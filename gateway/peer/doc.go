// Package peer watches the other end of a connection: whether it is still there,
// and whether what was written has arrived.
package peer
