package minilm_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/models/minilm"
)

// textOf returns a text of n tokens.
func textOf(b *testing.B, n int) string {
	b.Helper()
	text := strings.Repeat("word ", n-2)
	if got := minilm.Opened(b).Tokens(text); got != n {
		b.Fatalf("the text has %d tokens, not %d", got, n)
	}
	return text
}

// use gives the benchmark n processors until it ends.
func use(b *testing.B, n int) {
	b.Helper()
	before := runtime.GOMAXPROCS(n)
	b.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// BenchmarkEmbed is one text on one processor.
func BenchmarkEmbed(b *testing.B) {
	for _, n := range []int{8, 32, 128, minilm.MaxTokens} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			text := textOf(b, n)
			use(b, 1)
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				embed(b, text)
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(best)/1e6, "best-ms")
		})
	}
}

// BenchmarkBatch is 256 texts on two processors: in one call, and in one call after another with
// one processor and with two.
func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{8, 32} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			texts := make([]string, 256)
			for i := range texts {
				texts[i] = textOf(b, n)
			}
			each := func() {
				for _, text := range texts {
					embed(b, text)
				}
			}
			use(b, 2)
			together, alone, split := time.Hour, time.Hour, time.Hour
			for b.Loop() {
				together = min(together, took(func() { embed(b, texts...) }))
				split = min(split, took(each))
				runtime.GOMAXPROCS(1)
				alone = min(alone, took(each))
				runtime.GOMAXPROCS(2)
			}
			b.ReportMetric(float64(together)/1e6, "together-ms")
			b.ReportMetric(float64(alone)/float64(together), "x-one-by-one")
			b.ReportMetric(float64(split)/float64(together), "x-one-by-one-split")
		})
	}
}

func took(do func()) time.Duration {
	start := time.Now()
	do()
	return time.Since(start)
}

// BenchmarkTokens is a text of 8,192 characters that are tokens, of which MaxTokens are taken.
func BenchmarkTokens(b *testing.B) {
	m, text := minilm.Opened(b), strings.Repeat("Reset my password, please. ", 304)
	for b.Loop() {
		m.Tokens(text)
	}
}
