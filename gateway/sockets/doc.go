// Package sockets holds the WebSockets of a gateway: their upgrade, their writing
// and pings, and their end when the gateway drains.
package sockets
