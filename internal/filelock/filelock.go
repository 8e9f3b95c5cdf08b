// Package filelock locks files against other processes.
//
//	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
//	held, err := filelock.Try(file, filelock.Exclusive)
//
// A lock is the open file's: it ends when that is closed, however the process
// ends. Two that open the same file, in one process or in two, have a lock each.
// Locks bind those alone who ask for them, and hold on local disks.
package filelock

// Kind says whom a lock keeps out.
type Kind bool

// The kinds.
const (
	Exclusive Kind = true  // all others
	Shared    Kind = false // those who want it alone
)
