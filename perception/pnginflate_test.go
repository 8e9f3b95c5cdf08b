package perception

import (
	"bytes"
	"compress/zlib"
	"errors"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"testing"
)

// The checksum is that of package hash/adler32, however the bytes come.
func TestAdler(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for _, zeros := range []float64{0, 0.5, 0.95} {
		for _, size := range []int{0, 1, 7, 8, 9, adlerRun - 1, adlerRun, adlerRun + 1, 100_000} {
			data := randomBytes(random, size)
			for i := range data {
				switch {
				case random.Float64() < zeros:
					data[i] = 0
				case zeros == 0:
					data[i] = 0xff // as large as sums become
				}
			}
			whole, parts := adler{a: 1}, adler{a: 1}
			whole.add(data)
			for rest := data; len(rest) > 0; {
				n := 1 + random.IntN(min(len(rest), 300))
				parts.add(rest[:n])
				rest = rest[n:]
			}
			if want := adler32.Checksum(data); whole.value() != want || parts.value() != want {
				t.Errorf("%d bytes, %g of them zero: %#x, and %#x in parts, want %#x", size, zeros, whole.value(), parts.value(), want)
			}
		}
	}
}

// Rows that are damaged anywhere, or cut short, fail where they do by package compress/zlib; others are the same.
func TestInflaterAsZlib(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 10))
	rows := make([]byte, 3000)
	for i := range rows {
		if random.IntN(3) == 0 {
			rows[i] = byte(random.IntN(5))
		}
	}
	packed := deflate(rows)
	compare := func(name string, data []byte) {
		t.Helper()
		var want []byte
		z, wrong := zlib.NewReader(bytes.NewReader(data))
		if wrong == nil {
			want, wrong = io.ReadAll(z)
		}
		var got []byte
		own, err := newInflater(bytes.NewReader(data))
		if err == nil {
			got, err = io.ReadAll(own)
			if _, again := own.Read(make([]byte, 1)); err != nil && !errors.Is(again, err) || err == nil && !errors.Is(again, io.EOF) {
				t.Errorf("%s: read again after the end: %v", name, again)
			}
		}
		if (err == nil) != (wrong == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes and %v, want %d and %v", name, len(got), err, len(want), wrong)
		}
	}
	compare("whole", packed)
	compare("with more behind", append(bytes.Clone(packed), 1, 2, 3))
	for n := range packed {
		compare("cut short", packed[:n])
		damaged := bytes.Clone(packed)
		damaged[n] ^= 1 << random.IntN(8)
		compare("damaged", damaged)
	}
}
