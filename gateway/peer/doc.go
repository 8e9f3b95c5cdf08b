// Package peer watches the other end of a connection: its address and token, whether it is
// still there, and how fast it sends and reads.
package peer
