// Package figures reads a gateway's metrics at /metrics, in the text format of Prometheus.
//
//	now, err := figures.Read(text)
//	requests := now.Sum("windie_http_requests_total", "status", "200")
//
// A histogram becomes two figures: the sum, with the suffix _sum, and the count, with the suffix
// _count.
package figures

import (
	"io"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Sample is one value of a metric, with its labels.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// Figures are a gateway's metrics at one moment. The keys are the names of the metrics.
type Figures map[string][]Sample

// Read parses a gateway's response with metrics, in the text format of Prometheus.
func Read(text io.Reader) (Figures, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return nil, err
	}
	all := Figures{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			all.add(name, m)
		}
	}
	return all, nil
}

// add adds the value of a metric. It ignores metrics of other types, for example summaries.
func (f Figures) add(name string, m *dto.Metric) {
	labels := map[string]string{}
	for _, pair := range m.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	switch {
	case m.Histogram != nil:
		f[name+"_sum"] = append(f[name+"_sum"], Sample{labels, m.GetHistogram().GetSampleSum()})
		f[name+"_count"] = append(f[name+"_count"], Sample{labels, float64(m.GetHistogram().GetSampleCount())})
	case m.Gauge != nil:
		f[name] = append(f[name], Sample{labels, m.GetGauge().GetValue()})
	case m.Counter != nil:
		f[name] = append(f[name], Sample{labels, m.GetCounter().GetValue()})
	case m.Untyped != nil:
		f[name] = append(f[name], Sample{labels, m.GetUntyped().GetValue()})
	}
}

// Sum returns the sum of a metric's samples that have all the given labels. labels contains the
// name of each label and then its value.
func (f Figures) Sum(name string, labels ...string) float64 {
	sum := 0.0
	for _, s := range f[name] {
		if s.has(labels) {
			sum += s.Value
		}
	}
	return sum
}

// has reports whether s has all labels, pairs of name and value. It ignores a name without a value at the end.
func (s Sample) has(labels []string) bool {
	for pair := range slices.Chunk(labels, 2) {
		if len(pair) == 2 && s.Labels[pair[0]] != pair[1] {
			return false
		}
	}
	return true
}

// Values returns the sorted, non-empty values that a label of a metric has.
func (f Figures) Values(name, label string) []string {
	var values []string
	for _, s := range f[name] {
		if v := s.Labels[label]; v != "" {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}
