//go:build system

package reader_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

// guesses is the number of lines that a user guesses and another user has read. The user guesses as
// many lines that nobody has read.
const guesses = 200

// TestTimeShowsNothingOfOthers checks that the time of a reading does not reveal whether another
// user has read the screen, or one of its lines. If users share caches, the time reveals both.
func TestTimeShowsNothingOfOthers(t *testing.T) {
	testkit.Network(t)
	for _, whole := range []bool{true, false} {
		t.Run(fmt.Sprintf("whole screens %v", whole), func(t *testing.T) {
			// By chance one of twenty comparisons finds a difference where there is no other.
			p := 0.0
			for try := 0; try < 3 && p <= 0.05; try++ {
				p = compareGuesses(t, true, whole)
			}
			if p <= 0.05 {
				t.Errorf("what another user has read takes another time: p = %.4f", p)
			}
			if p := compareGuesses(t, false, whole); p > 0.001 {
				t.Errorf("this test would not notice: users share caches, and p = %.4f", p)
			}
		})
	}
}

// compareGuesses returns the probability that guesses of text that another user has read take the
// same time as guesses of text that nobody has read.
func compareGuesses(t *testing.T, apart, whole bool) float64 {
	t.Helper()
	scenes := perception.NewScenes(reader.New(reader.Config{}), perception.Options{Apart: apart})
	read := func(user string, margin, n int) time.Duration {
		src := perception.SourceOf(lineOf(t, margin, n))
		src.User = user
		began := time.Now()
		if _, err := scenes.Scene(t.Context(), src); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	codes := rand.Perm(2 * guesses) // any of them as likely known as unknown
	for _, n := range codes[:guesses] {
		read("ada", 10, n)
	}
	margin := 10 // of the screens that ben guesses
	if !whole {
		margin = 14
	}
	read("ben", margin, -1)
	var known, unknown []float64
	for _, i := range rand.Perm(2 * guesses) {
		if took := read("ben", margin, codes[i]).Seconds(); i < guesses {
			known = append(known, took)
		} else {
			unknown = append(unknown, took)
		}
	}
	p := mannWhitney(known, unknown)
	slices.Sort(known)
	slices.Sort(unknown)
	t.Logf("caches apart %v: read by another %.2f ms, by nobody %.2f ms, p = %.4f", apart, 1e3*known[guesses/2], 1e3*unknown[guesses/2], p)
	return p
}

// lineOf returns a screen with one line of text as a PNG. Each n has another text.
func lineOf(t *testing.T, margin, n int) []byte {
	t.Helper()
	img := testkit.Canvas(220, 40+margin, color.White)
	testkit.Pen{}.Write(img, margin, 24, fmt.Sprintf("Code %d", 100_000+n*37))
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// mannWhitney returns the two-sided p-value of the Mann-Whitney U test, by the normal
// approximation.
func mannWhitney(a, b []float64) float64 {
	type value struct {
		v   float64
		ofA bool
	}
	var all []value
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.v, y.v) })
	ranks := 0.0
	for i, v := range all {
		if v.ofA {
			ranks += float64(i + 1)
		}
	}
	n, m := float64(len(a)), float64(len(b))
	u := ranks - n*(n+1)/2
	z := (u - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
	return math.Erfc(math.Abs(z) / math.Sqrt2)
}

// TestForget checks that forgotten text of a user or an image is read again, and that the text of
// other users stays cached.
func TestForget(t *testing.T) {
	testkit.Network(t)
	for _, apart := range []bool{true, false} {
		t.Run(fmt.Sprintf("caches apart %v", apart), func(t *testing.T) {
			scenes := perception.NewScenes(reader.New(reader.Config{}), perception.Options{Apart: apart})
			first, second := lineOf(t, 10, 1), lineOf(t, 10, 2)
			read := func(user string, data []byte) {
				src := perception.SourceOf(data)
				src.User = user
				if _, err := scenes.Scene(t.Context(), src); err != nil {
					t.Fatal(err)
				}
			}
			misses := func(do func()) uint64 {
				before := scenes.Stats().Misses
				do()
				return scenes.Stats().Misses - before
			}
			both := func() { read("ada", first); read("ada", second) }
			if n := misses(func() { both(); both() }); n != 2 {
				t.Fatalf("two screens are read %d times", n)
			}
			ben := misses(func() { read("ben", first) })
			scenes.ForgetImage("ada", perception.SourceOf(first).SHA256)
			if n := misses(both); n != 1 {
				t.Errorf("after one image was forgotten, %d are read", n)
			}
			scenes.Forget("ada")
			if n := misses(both); n != 2 {
				t.Errorf("after a user was forgotten, %d images are read", n)
			}
			if n := misses(func() { read("ben", first) }); apart && (ben != 1 || n != 0) {
				t.Errorf("another user's screen was read %d times, and %d times again", ben, n)
			}
		})
	}
}
