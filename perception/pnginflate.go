package perception

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"
)

// Causes of invalid compressed rows.
var (
	errZlibHeader = errors.New("the compressed rows have an invalid header")
	errZlibSum    = errors.New("the checksum of the compressed rows differs")
)

// inflater decompresses zlib data (RFC 1950). Filtered rows of screens are mostly zeros, and
// compress/zlib spends nearly half of its time on their checksum; this checksum is faster.
type inflater struct {
	from *bufio.Reader
	rows io.Reader
	sum  adler
	end  error // the final error of Read; nil before the end
}

// newInflater checks the zlib header.
func newInflater(from io.Reader) (*inflater, error) {
	const deflate, widest, dictionary = 8, 7, 0x20
	z := &inflater{from: bufio.NewReader(from), sum: adler{a: 1}}
	var head [2]byte
	if _, err := io.ReadFull(z.from, head[:]); err != nil {
		return nil, err
	}
	if head[0]&15 != deflate || head[0]>>4 > widest || binary.BigEndian.Uint16(head[:])%31 != 0 || head[1]&dictionary != 0 {
		return nil, errZlibHeader
	}
	z.rows = flate.NewReader(z.from)
	return z, nil
}

// Read implements io.Reader. At the end of the data it compares the checksums.
func (z *inflater) Read(p []byte) (int, error) {
	if z.end != nil {
		return 0, z.end
	}
	n, err := z.rows.Read(p)
	z.sum.add(p[:n])
	if errors.Is(err, io.EOF) {
		err = z.check()
	}
	z.end = err
	return n, err
}

// check returns io.EOF if the stored checksum matches the rows, and an error otherwise.
func (z *inflater) check() error {
	var tail [4]byte
	if _, err := io.ReadFull(z.from, tail[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	if binary.BigEndian.Uint32(tail[:]) != z.sum.value() {
		return errZlibSum
	}
	return io.EOF
}

// adler is the Adler-32 checksum of the bytes so far. a is one plus their sum; b is the sum of all
// values that a had.
type adler struct{ a, b uint64 }

const (
	adlerPrime = 65521
	adlerRun   = 5552 / 8 * 8 // bytes until the sums are reduced, so that they fit into 32 bits
)

// value returns the checksum in the form in which zlib stores it.
func (s *adler) value() uint32 { return uint32(s.b<<16 | s.a) }

// add adds bytes to the checksum, eight at a time.
func (s *adler) add(p []byte) {
	// every second byte: the products add up four sums of 16 bits in the highest 16 bits
	const even = 0x00ff00ff00ff00ff
	a, b := s.a, s.b
	for len(p) > 0 {
		run := p[:min(len(p), adlerRun)]
		p = p[len(run):]
		for ; len(run) >= 8; run = run[8:] {
			b += 8 * a
			v := binary.LittleEndian.Uint64(run)
			if v == 0 {
				continue
			}
			first, second := v&even, v>>8&even
			a += (first + second) * 0x0001000100010001 >> 48
			b += first*0x0008000600040002>>48 + second*0x0007000500030001>>48
		}
		for _, v := range run {
			a += uint64(v)
			b += a
		}
		a, b = a%adlerPrime, b%adlerPrime
	}
	s.a, s.b = a, b
}
