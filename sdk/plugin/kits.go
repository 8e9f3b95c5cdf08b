// Package kits holds the plugin kits that are copied next to an author's source, one folder for
// each language. The Go kit is a package instead, which the go command fetches.
package kits

import "embed"

// Files are the kits for Rust, AssemblyScript and C. Paths are relative to this folder.
//
//go:embed rust/Cargo.toml rust/src assemblyscript/index.ts assemblyscript/json.ts c/windie.h
var Files embed.FS
