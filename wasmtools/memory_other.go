//go:build !linux && !darwin

package wasmtools

import "github.com/tetratelabs/wazero/experimental"

// allocator is nil here: the engine allocates guests' memory.
var allocator experimental.MemoryAllocator
