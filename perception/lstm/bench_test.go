package lstm

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// benchLines are a hundred lines from all over the labelled screens.
func benchLines(b *testing.B, m *Model) (strips []Strip, steps int) {
	b.Helper()
	const n = 100
	lines := screenLines(b, m.Height())
	for i := range n {
		s := lines[i*len(lines)/n].strip
		strips = append(strips, s)
		steps += s.Width / pool
	}
	return strips, steps
}

// products is how many products of a weight and an input a step takes.
func (n *network) products() int {
	of := func(m *matrix) int { return m.outputs * m.inputs }
	rows := n.height / pool
	sum := rows*pool*pool*channels*pool*pool + rows*of(n.down.matrix) + of(n.scores)
	for _, l := range n.across {
		sum += of(l.matrix)
	}
	return sum
}

// race times a kernel and the portable one on the same strips, one after the
// other, so that a machine whose speed drifts is fair to both.
type race struct{ kernel, portable time.Duration }

func (r *race) run(b *testing.B, m *Model, k *kernel, strips []Strip) {
	start := time.Now()
	if _, err := m.read(b.Context(), k, strips); err != nil {
		b.Fatal(err)
	}
	middle := time.Now()
	if _, err := m.read(b.Context(), kernels[len(kernels)-1], strips); err != nil {
		b.Fatal(err)
	}
	r.kernel += middle.Sub(start)
	r.portable += time.Since(middle)
}

func (r *race) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // of both, which shows nothing
	b.ReportMetric(r.portable.Seconds()/r.kernel.Seconds(), "x-portable")
}

// How long a step takes on one processor, with each kernel.
func BenchmarkStep(b *testing.B) {
	m := english(b)
	strips, steps := benchLines(b, m)
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			var r race
			for b.Loop() {
				r.run(b, m, k, strips)
			}
			r.report(b)
			perStep := r.kernel.Seconds() / float64(b.N) / float64(steps)
			b.ReportMetric(perStep*1e9, "ns/step")
			b.ReportMetric(float64(m.net.products())/perStep/1e9, "GMAC/s")
		})
	}
}

// How long reading a hundred lines takes.
func BenchmarkRead(b *testing.B) {
	m := english(b)
	strips, _ := benchLines(b, m)
	for _, processors := range []int{1, 2} {
		b.Run(fmt.Sprintf("processors-%d", processors), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			var r race
			for b.Loop() {
				r.run(b, m, kernels[0], strips)
			}
			r.report(b)
			b.ReportMetric(r.kernel.Seconds()*1e3/float64(b.N), "ms/100-lines")
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	data := englishFile(b)
	for b.Loop() {
		if _, err := Load(data); err != nil {
			b.Fatal(err)
		}
	}
}
