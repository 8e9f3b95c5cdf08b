package elements

import "github.com/windieos/windie/perception/geo"

// amongSize is the number of features that Among returns for each element.
const amongSize = 9

// Among returns features of each element in list. Two models decide which elements are clickable,
// and these features are for the second model. The features describe similar elements around an
// element, for example the other links of its list. probabilities has the first model's result for
// each element, and unit is the value that Examples returns.
func Among(list []Element, probabilities []float64, unit float64) [][]float32 {
	out := make([][]float32, len(list))
	children := make([]float64, len(list))
	for i := range list {
		if p := list[i].Parent; p >= 0 {
			children[p] = max(children[p], probabilities[i])
		}
	}
	for i := range list {
		row, column, kin := mean{}, mean{}, mean{}
		if len(list) <= maxLeaves {
			for j := range list {
				if i != j && list[i].kind == list[j].kind {
					addAlike(&list[i], &list[j], probabilities[j], unit, &row, &column, &kin)
				}
			}
		}
		parent := -1.0
		if p := list[i].Parent; p >= 0 {
			parent = probabilities[p]
		}
		out[i] = []float32{float32(probabilities[i]), float32(parent), float32(children[i]), row.value(), float32(row.n), column.value(), float32(column.n), kin.value(), float32(kin.n)}
	}
	return out
}

// smoothed moves the probability of a cell or phrase halfway to the mean of similar elements on its
// line, such as the other menus of a bar.
func smoothed(list []Element, acted []float64, unit float64) []float64 {
	out := make([]float64, len(list))
	for i := range list {
		out[i] = acted[i]
		if k := list[i].kind; k != cell && k != phrase || len(list) > maxLeaves {
			continue
		}
		row := mean{}
		for j := range list {
			if list[j].kind == list[i].kind && list[j].Parent == list[i].Parent && geo.Abs(list[j].Box.Dy()-list[i].Box.Dy()) <= int(5*unit) &&
				geo.Abs(geo.Center(list[i].Box).Y-geo.Center(list[j].Box).Y) <= int(3*unit) {
				row.add(acted[j])
			}
		}
		if row.n >= leastPeers {
			out[i] = (acted[i] + float64(row.value())) / 2
		}
	}
	return out
}

// leastPeers is the minimum number of similar elements on a line for smoothed.
const leastPeers = 3

type mean struct {
	sum float64
	n   int
}

// add counts one more value in the mean.
func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

// value returns the mean, or -1 without values.
func (m *mean) value() float32 {
	if m.n == 0 {
		return -1
	}
	return float32(m.sum / float64(m.n))
}

// addAlike adds the probability of o to the means of the elements like e on its line, in its
// column, and in its container.
func addAlike(e, o *Element, acted, unit float64, row, column, kin *mean) {
	near := int(5 * unit)
	high := geo.Abs(e.Box.Dy()-o.Box.Dy()) <= near
	if high && geo.Abs(geo.Center(e.Box).Y-geo.Center(o.Box).Y) <= near {
		row.add(acted)
	}
	if high && (geo.Abs(e.Box.Min.X-o.Box.Min.X) <= near || geo.Abs(geo.Center(e.Box).X-geo.Center(o.Box).X) <= near) {
		column.add(acted)
	}
	if e.Parent == o.Parent && e.Role == o.Role {
		kin.add(acted)
	}
}
