package textline

import "slices"

// Fit is the position and size of a line's letters, in pixels of the patch. Values may be
// fractions.
type Fit struct {
	// Baseline is the y of the line on which the letters stand. Capital is the height of a capital
	// letter.
	Baseline, Capital float64
	// Letters is the kind of letters that the fit assumes.
	Letters Heights
}

// Heights says whether a line has tall letters, small letters or both.
type Heights int

// Values of Heights. If a line has letters of both heights, a fit knows which letters are small;
// otherwise it guesses.
const (
	Both  Heights = iota // tall letters (capitals, digits or ascenders) and small letters
	Tall                 // only tall letters: capitals, digits or ascenders
	Small                // only small letters without ascenders
)

// xHeight is the height of a small letter in common typefaces, as a share of a capital's height.
const xHeight = 0.73

// Fits returns the possible fits of the letters, the likeliest fit first. There is at least one
// fit.
func (p *Patch) Fits() []Fit {
	tops, bottoms := p.reaches()
	if len(tops) == 0 {
		return []Fit{{Baseline: float64(p.Height - 1), Capital: float64(p.Height - 2)}}
	}
	base := mode(standing(tops, bottoms), 0.6)
	fits := fitsOn(base, tops, bottoms)
	if low := slices.Max(bottoms); p.Width <= 3*p.Height && low > base+1.2 {
		fits = append(fits, fitsOn(low, tops, bottoms)...) // the foot of an F is narrower than its arms
	}
	return fits
}

// standing returns the bottoms of the columns that are at least half as high as the highest column.
// Lower columns belong to dashes or to the arms of letters.
func standing(tops, bottoms []float64) []float64 {
	high := 0.0
	for i, top := range tops {
		high = max(high, bottoms[i]-top)
	}
	var out []float64
	for i, top := range tops {
		if bottoms[i]-top >= high/2 {
			out = append(out, bottoms[i])
		}
	}
	return out
}

// fitsOn returns the possible fits of letters on a baseline at y = base.
func fitsOn(base float64, tops, bottoms []float64) []Fit {
	var heights []float64
	hanging := 0
	for i, top := range tops {
		if bottoms[i] > base-0.12*(base-top)-0.7 {
			heights = append(heights, base-top)
		}
		if bottoms[i] > base+1.2 {
			hanging++
		}
	}
	slices.Sort(heights)
	tall := heights[len(heights)-1-len(heights)/25]
	if showsSmall(heights, tall) {
		return []Fit{{base, tall, Both}}
	}
	fits := []Fit{{base, tall, Tall}, {base, tall / xHeight, Small}}
	if 12*hanging > len(tops) {
		slices.Reverse(fits)
	}
	return fits
}

// showsSmall reports whether at least a sixth of the sorted heights are those of small letters
// beside letters that are tall high.
func showsSmall(heights []float64, tall float64) bool {
	most := 0
	for i, low := range heights {
		if low < 0.6*tall || low > min(0.85*tall, tall-1.2) {
			continue
		}
		n := 0
		for _, h := range heights[i:] {
			if h > low+max(0.6, 0.04*tall) || h > 0.88*tall {
				break
			}
			n++
		}
		most = max(most, n)
	}
	return most*6 >= len(heights)
}

// reaches returns the top and the bottom of the ink in each column that has ink, in fractions of a
// pixel.
func (p *Patch) reaches() (tops, bottoms []float64) {
	const half = 128
	at := func(x, y int) float64 {
		if y < 0 || y >= p.Height {
			return 0
		}
		return float64(p.Ink[y*p.Width+x]) / 255
	}
	for x := range p.Width {
		top, bottom := -1, -1
		for y := range p.Height {
			if p.Ink[y*p.Width+x] >= half {
				if top < 0 {
					top = y
				}
				bottom = y
			}
		}
		if top < 0 {
			continue
		}
		tops = append(tops, float64(top+1)-at(x, top)-at(x, top-1))
		bottoms = append(bottoms, float64(bottom)+at(x, bottom)+at(x, bottom+1))
	}
	return tops, bottoms
}

// mode returns the middle value of the window of the given width that contains the most values.
// values must not be empty.
func mode(values []float64, width float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	best, most := sorted[0], 0
	end := 0
	for i, low := range sorted {
		for end < len(sorted) && sorted[end] <= low+width {
			end++
		}
		if end-i > most {
			most, best = end-i, sorted[(i+end-1)/2]
		}
	}
	return best
}
