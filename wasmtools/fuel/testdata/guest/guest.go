// Command guest is a guest for tests, compiled to WebAssembly. Its functions do typical work of
// tools. Each returns a number that depends on all of that work.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

func main() {}

type record struct {
	ID   int               `json:"id"`
	Name string            `json:"name"`
	Tags []string          `json:"tags"`
	Meta map[string]string `json:"meta"`
}

//go:wasmexport json
func encode(n int32) int32 {
	var list []record
	for i := range int(n) {
		list = append(list, record{i, fmt.Sprintf("record %d", i), strings.Split("a b c d", " "), map[string]string{"k": fmt.Sprint(i * i)}})
	}
	sum := 0
	for range 10 {
		b, err := json.Marshal(list)
		if err != nil {
			return -1
		}
		list = nil
		if err := json.Unmarshal(b, &list); err != nil {
			return -2
		}
		sum += len(b) + len(list)
	}
	return int32(sum)
}

//go:wasmexport sort
func order(n int32) int32 {
	words := make([]string, n)
	x := uint32(1)
	for i := range words {
		x = x*1664525 + 1013904223
		words[i] = fmt.Sprintf("%08x", x)
	}
	sort.Strings(words)
	return int32(words[n/2][0])<<8 | int32(words[n/3][1])
}

//go:wasmexport hash
func hash(n int32) int32 {
	block := make([]byte, 16<<10)
	for range n {
		sum := sha256.Sum256(block)
		copy(block, sum[:])
	}
	return int32(binary.LittleEndian.Uint32(block))
}

var address = regexp.MustCompile(`[a-z0-9.]+@[a-z0-9]+\.(com|org)`)

//go:wasmexport match
func match(n int32) int32 {
	text := strings.Repeat("some words, then one.two@example.com and more ", int(n))
	return int32(len(address.FindAllString(text, -1)))
}
