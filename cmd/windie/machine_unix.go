//go:build linux || darwin

package main

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// maxFiles returns the hard limit of open files. Go raises the soft limit to it.
func maxFiles() (n uint64, known bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return limit.Max, true
}

// codeMemory fails if the process may not run code that it wrote to memory.
func codeMemory() error {
	if runtime.GOOS != "linux" {
		return nil
	}
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return errors.Join(unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC), unix.Munmap(page))
}
