// Package filelock locks files against other processes.
//
//	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
//	held, err := filelock.Try(file, filelock.Exclusive)
//
// A lock belongs to an open file, and ends when that is closed, also by the end of the process.
// Locks bind only those who ask for them, and hold on local disks.
package filelock

// Kind says whom a lock keeps out.
type Kind bool

// The kinds.
const (
	Exclusive Kind = true  // all others
	Shared    Kind = false // those who want it alone
)
