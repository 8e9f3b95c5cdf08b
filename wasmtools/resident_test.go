package wasmtools_test

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// residentNow gives unused memory back, and returns the bytes of memory in use
// after making that the peak.
func residentNow() int64 {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where there is none, the peak is 0
	return statusOf("VmRSS")
}

// residentPeak returns the most bytes in use since residentNow, 0 on a system
// that does not count it.
func residentPeak() int64 { return statusOf("VmHWM") }

func statusOf(name string) int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10
}
