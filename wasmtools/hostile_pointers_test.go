package wasmtools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// badNumbers are pointers, lengths, handles and descriptors that hosts get
// wrong: around the size of the memory, around signs, and sums that overflow.
var badNumbers = []int{0, 1, 3, -1, 0x7fffffff, -0x80000000, onePage, onePage - 1, onePage + 1, 0xfffffff0 - 1<<32, 8, 1 << 28}

// badArguments lists arguments of n parameters: all the same number, each
// number beside harmless ones, and each beside the largest.
func badArguments(n int) (list [][]int) {
	for _, bad := range badNumbers {
		same := make([]int, n)
		for i := range same {
			same[i] = bad
		}
		list = append(list, same)
		for i := range n {
			for _, other := range []int{0, 16, -1} {
				args := make([]int, n)
				for k := range args {
					args[k] = other
				}
				args[i] = bad
				list = append(list, args)
			}
		}
	}
	return list
}

// pointerTools are names of tools, whose first letter decides.
const pointerTools = "abcdefhijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// misuse returns a guest whose tools call one function of the host with bad
// arguments each.
func misuse(kind abi.Kind, name string, lists [][]int) []byte {
	g := newHandmade(kind, 1, 1, name)
	_, function, _ := cut(name)
	params, _, _ := strings.Cut(g.sigs[function], ":")
	tools := map[byte][]byte{}
	for i, args := range lists {
		var push [][]byte
		for k, p := range params {
			if p == 'l' {
				push = append(push, w.I64(args[k]))
			} else {
				push = append(push, w.I32(args[k]))
			}
		}
		tools[pointerTools[i]] = g.try(function, push...)
	}
	return g.finish(tools)
}

// TestBadPointers calls each function of the host with what it must not trust.
// Nothing may come of it but an error of that call, and nothing at all of the
// next.
func TestBadPointers(t *testing.T) {
	t.Parallel()
	kinds := map[string]abi.Kind{
		"windie": abi.Bulk, "extism:host/env": abi.Extism, "extism:host/user": abi.Extism, "extism:host/usr": abi.Extism, wasiModule: abi.Bulk,
	}
	road := newRoad(t)
	for module, kind := range kinds {
		for _, name := range offered(module) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				params, _, _ := strings.Cut(signatures()[name], ":")
				for lists := range slices.Chunk(badArguments(len(params)), len(pointerTools)) {
					misused(t, road, kind, name, lists)
				}
			})
		}
	}
}

// busyTries is how often a call is made that ends only because its time is over.
const busyTries = 5

// misused opens the guest of misuse, and calls its tools.
func misused(t *testing.T, road *road, kind abi.Kind, name string, lists [][]int) {
	t.Helper()
	src, grant := road.arrive(t, misuse(kind, name, lists), limits(wasmtools.Limits{WallMS: 200}))
	p := openSource(t, wasmtools.Config{}, grant, src)
	for i, args := range lists {
		var err error
		waits := strings.HasSuffix(name, ".poll_oneoff")
		for range busyTries { // time runs out on a machine that is busy
			if _, _, err = call(t.Context(), t, p, pointerTools[i:i+1], `{}`); waits || fault.CodeOf(err) != sdkapi.Timeout {
				break
			}
		}
		code := fault.CodeOf(err)
		waits = waits && code == sdkapi.Timeout
		if err != nil && !waits && code != sdkapi.ToolError && code != sdkapi.ValidationError || strings.Contains(fmt.Sprint(err), "runtime error") {
			t.Errorf("%v: %.300v", args, err)
		}
	}
	mustAnswer(t, p)
	p.Close()
	if !t.Failed() {
		contained()
	}
}
