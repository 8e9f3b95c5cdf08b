// Package sockets implements the WebSockets of a gateway: their upgrade, writes, pings, and their
// end when the gateway drains.
package sockets
