//go:build !linux && !darwin

package wasmtools

import "github.com/tetratelabs/wazero/experimental"

// allocator nil leaves a guest's memory to the engine.
var allocator experimental.MemoryAllocator
