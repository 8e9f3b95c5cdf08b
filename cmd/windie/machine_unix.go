//go:build linux || darwin

package main

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// maxFiles returns how many files the process may have open, as the hard limit says: Go raises the other to it.
func maxFiles() (n uint64, known bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return limit.Max, true
}

// codeMemory fails where the process may not run code that it wrote to memory.
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
