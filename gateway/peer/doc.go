// Package peer observes the client at the other end of a connection: its address and token, whether
// it is still connected, and how fast it sends and reads.
package peer
