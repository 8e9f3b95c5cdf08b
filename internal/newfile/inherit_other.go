//go:build !unix

package newfile

import "os"

// Inherit does nothing: a file has the rights of its folder.
func Inherit(*os.File) error { return nil }

// InheritAll does nothing, as Inherit does.
func InheritAll(string) error { return nil }
