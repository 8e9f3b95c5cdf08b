package artifacts_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// sizes are around the ends of pieces.
var sizes = []int{0, 1, 1000, artifacts.PieceSize - 1, artifacts.PieceSize, artifacts.PieceSize + 1, 3*artifacts.PieceSize + 77}

// stored is an artifact, with all that a store keeps of it.
func stored(t *testing.T, size int) (data []byte, info artifacts.Info, sums artifacts.Pieces) {
	t.Helper()
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) // which never fails
	var out bytes.Buffer
	info, sums, err := artifacts.Receive(context.Background(), &out, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	text, err := sums.MarshalText()
	var again artifacts.Pieces
	if err == nil {
		err = again.UnmarshalText(text)
	}
	if err != nil || !bytes.Equal(sums, again) || again.Missing() {
		t.Fatalf("sums of %d bytes do not come back: %v", size, err)
	}
	info.ID = "a.bin"
	return out.Bytes(), info, again
}

// read reads as callers do: by Read, or by WriteTo.
func read(r io.ReadCloser, err error, byWriteTo bool) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out bytes.Buffer
	if byWriteTo {
		_, err = r.(io.WriterTo).WriteTo(&out)
	} else {
		_, err = io.Copy(&out, struct{ io.Reader }{r})
	}
	return out.Bytes(), err
}

func from(data []byte, offset int) io.ReadCloser {
	return io.NopCloser(bytes.NewReader(data[artifacts.PieceStart(int64(offset)):]))
}

func TestVerifyWhole(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		for _, without := range []bool{false, true} {
			for _, byWriteTo := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d bytes, sums missing %v, WriteTo %v", size, without, byWriteTo), func(t *testing.T) {
					t.Parallel()
					data, info, sums := stored(t, size)
					if without {
						sums = nil
					}
					r, err := artifacts.Verify("test", from(data, 0), info, sums, 0, info.Size)
					if got, err := read(r, err, byWriteTo); err != nil || !bytes.Equal(got, data) {
						t.Errorf("%d bytes, %v", len(got), err)
					}
				})
			}
		}
	}
}

func TestVerifyParts(t *testing.T) {
	t.Parallel()
	const size = 3*artifacts.PieceSize + 77
	data, info, sums := stored(t, size)
	for _, part := range [][2]int{
		{0, 0}, {0, 1}, {7, 11}, {artifacts.PieceSize - 1, 2}, {artifacts.PieceSize, artifacts.PieceSize}, {size - 1, 1}, {size, 0}, {5, size - 5},
	} {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			r, err := artifacts.Verify("test", from(data, part[0]), info, sums, int64(part[0]), int64(part[1]))
			if got, err := read(r, err, true); err != nil || !bytes.Equal(got, data[part[0]:part[0]+part[1]]) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// TestVerifyDamage changes one bit, each in another place, and reads: what comes is what was stored
// before the piece with the damage, and never a byte of it.
func TestVerifyDamage(t *testing.T) {
	t.Parallel()
	const size = 3*artifacts.PieceSize + 77
	for _, at := range []int{0, artifacts.PieceSize - 1, artifacts.PieceSize, 2*artifacts.PieceSize + 5, size - 1} {
		for _, cut := range []bool{false, true} {
			t.Run(fmt.Sprintf("at %d, cut %v", at, cut), func(t *testing.T) {
				t.Parallel()
				data, info, sums := stored(t, size)
				whole := bytes.Clone(data)
				if cut {
					data = data[:at]
				} else {
					data[at] ^= 1
				}
				start := int(artifacts.PieceStart(int64(at)))
				r, err := artifacts.Verify("test", from(data, 0), info, sums, 0, info.Size)
				if (err != nil) != (start == 0) {
					t.Errorf("Verify: %v", err)
				}
				got, err := read(r, err, true)
				if fault.CodeOf(err) != sdkapi.ArtifactDamaged || !bytes.Equal(got, whole[:start]) {
					t.Errorf("%d bytes, want %d, then %v", len(got), start, err)
				}
				r, err = artifacts.Verify("test", from(data, 0), info, nil, 0, info.Size)
				last := int(artifacts.PieceStart(size - 1))
				if got, err = read(r, err, false); fault.CodeOf(err) != sdkapi.ArtifactDamaged || len(got) > last {
					t.Errorf("without sums: %d bytes, want at most %d, then %v", len(got), last, err)
				}
				if err := artifacts.CheckWhole("test", bytes.NewReader(data), info); fault.CodeOf(err) != sdkapi.ArtifactDamaged {
					t.Errorf("CheckWhole: %v", err)
				}
			})
		}
	}
}

// TestVerifySums gives sums that are not those of the artifact.
func TestVerifySums(t *testing.T) {
	t.Parallel()
	data, info, sums := stored(t, 2*artifacts.PieceSize)
	for name, wrong := range map[string]artifacts.Pieces{"too few": sums[:8], "none": {}, "too many": append(bytes.Clone(sums), sums...)} {
		t.Run(name, func(t *testing.T) {
			if _, err := artifacts.Verify("test", from(data, 0), info, wrong, 0, info.Size); fault.CodeOf(err) != sdkapi.ArtifactDamaged {
				t.Errorf("%v", err)
			}
		})
	}
	for _, text := range []string{"no base64!", "AAAA"} {
		t.Run(text, func(t *testing.T) {
			if err := new(artifacts.Pieces).UnmarshalText([]byte(text)); err == nil {
				t.Error("it was taken for sums")
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20, 25 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			content := make([]byte, size)
			info, sums, err := artifacts.Receive(b.Context(), io.Discard, bytes.NewReader(content))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				r, err := artifacts.Verify("test", from(content, 0), info, sums, 0, info.Size)
				if err == nil {
					_, err = r.(io.WriterTo).WriteTo(io.Discard)
				}
				if err != nil {
					b.Fatal(err)
				}
				_ = r.Close()
			}
		})
	}
}
