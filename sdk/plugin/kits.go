// Package kits holds the plugin kits that are copied beside an author's source, as files of
// the folders here. The Go kit is a package of its own instead, which the go command fetches.
package kits

import "embed"

// Files are the kits for Rust, AssemblyScript and C, by their paths from here.
//
//go:embed rust/Cargo.toml rust/src assemblyscript/index.ts assemblyscript/json.ts c/windie.h
var Files embed.FS
