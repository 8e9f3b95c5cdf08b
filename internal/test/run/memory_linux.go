package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

const (
	shared   = "/dev/shm"
	roomNeed = 4 << 30 // bytes; all tests together keep less than half of it
)

// memoryFolder makes a folder in memory, or returns "" where there is no room for one, or programs cannot be run from it.
func memoryFolder() string {
	var room syscall.Statfs_t
	if err := syscall.Statfs(shared, &room); err != nil || room.Bavail*uint64(room.Bsize) < roomNeed {
		return ""
	}
	folder, err := os.MkdirTemp(shared, "windie-test-")
	if err != nil {
		return ""
	}
	_ = os.Chmod(folder, 0o777|os.ModeSticky)
	program := filepath.Join(folder, "program")
	if os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700) != nil || exec.Command(program).Run() != nil {
		_ = os.RemoveAll(folder)
		return ""
	}
	_ = os.Remove(program)
	return folder
}
