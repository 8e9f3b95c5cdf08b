//go:build system

package plugins_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/windieos/windie/wasmtools"
)

// TestChecksumsAgree compares with Go's own, at the lengths where blocks and
// padding begin anew, in one guest that is called again and again.
func TestChecksumsAgree(t *testing.T) {
	t.Parallel()
	p := openExample(t, "checksum", wasmtools.Grant{Isolation: wasmtools.Reuse})
	peak := int64(0)
	random := rand.NewChaCha8([32]byte{1})
	for _, n := range []int{0, 1, 2, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000, 100_000, 1_000_000} {
		data := make([]byte, n)
		_, _ = random.Read(data)
		sum := sha256.Sum256(data)
		for algorithm, want := range map[string]string{
			"sha256":  hex.EncodeToString(sum[:]),
			"crc32":   fmt.Sprintf("%08x", crc32.ChecksumIEEE(data)),
			"adler32": fmt.Sprintf("%08x", adler32.Checksum(data)),
		} {
			t.Run(fmt.Sprintf("%s of %d", algorithm, n), func(t *testing.T) {
				result, err := p.call(t, "digest", `{"base64":"`+base64.StdEncoding.EncodeToString(data)+`","algorithm":"`+algorithm+`"}`)
				if want := fmt.Sprintf(`{"algorithm":%q,"hex":%q,"bytes":%d}`, algorithm, want, n); err != nil || string(result.Structured) != want {
					t.Errorf("%s, %v; want %s", result.Structured, err, want)
				}
				peak = max(peak, result.Usage.PeakMemory)
			})
		}
	}
	if pages := peak >> 16; pages == 0 || pages > 100 {
		t.Errorf("memory grew to %d pages: what a call needs is not freed", pages)
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	converse(t, "checksum", []dialogue{
		{tool: "digest", arguments: `{"text": "abc", "algorithm": "crc32"}`, structured: `{"algorithm": "crc32", "hex": "352441c2", "bytes": 3}`},
		{tool: "digest", arguments: `{"text": "\u00e9\ud83d\ude00", "algorithm": "crc32"}`, structured: `{"algorithm": "crc32", "hex": "` + crc("é😀") + `", "bytes": 6}`},
		{tool: "digest", arguments: `{"base64": "_-8", "algorithm": "crc32"}`, structured: `{"algorithm": "crc32", "hex": "` + crc("\xff\xef") + `", "bytes": 2}`},
		{tool: "digest", arguments: `{}`, fail: "give either text or base64, and not both"},
		{tool: "digest", arguments: `{"text": "", "base64": ""}`, fail: "give either text or base64, and not both"},
		{tool: "digest", arguments: `{"base64": "a b="}`, fail: "base64 is not whole"},
		{tool: "digest", arguments: `{"base64": "abcde"}`, fail: "base64 is not whole"},
		{tool: "verify", arguments: `{"text": "abc", "algorithm": "crc32", "expected": "352441C2"}`, structured: `{"matches": true, "hex": "352441c2"}`},
		{tool: "verify", arguments: `{"text": "abd", "algorithm": "crc32", "expected": "352441c2"}`, structured: `{"matches": false, "hex": "` + crc("abd") + `"}`},
		{tool: "verify", arguments: `{"text": "abc", "expected": "352441c2"}`, fail: "sha256 has 64 hex digits"},
	})
}

func crc(text string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) }

// TestChecksumOutsideItsSchema gives what the gateway would not let through:
// the guest must not fall over it.
func TestChecksumOutsideItsSchema(t *testing.T) {
	t.Parallel()
	p := openExample(t, "checksum", wasmtools.Grant{Isolation: wasmtools.Reuse})
	for _, arguments := range []string{`{"text": 1}`, `{"text": "a", "algorithm": "md5"}`, `{"text": "a`, `[]`, `{`, `{"text"`, `"\u"`, `{"text":"\ud83d"}`, `{"text":"\`, ` `} {
		t.Run(arguments, func(t *testing.T) {
			if result, err := p.call(t, "digest", arguments); err != nil { // an answer that is not JSON is an error
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}
