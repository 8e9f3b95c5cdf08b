//go:build !unix

package newfile

import "os"

// Inherit does nothing, because on this system a file has the rights of its folder.
func Inherit(*os.File) error { return nil }

// InheritAll does nothing, like Inherit.
func InheritAll(string) error { return nil }
