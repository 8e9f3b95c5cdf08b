package lstm

import "testing"

// The contrast comes from a strip's middle row: black from what is darker than
// its neighbours there, white from what is lighter.
func TestContrast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  []uint8
		want map[int]int // by pixel value
	}{
		"nothing":              {nil, map[int]int{0: -127, 127: 0, 255: 127}},
		"too short":            {[]uint8{9, 200}, map[int]int{0: -127, 255: 127}},
		"flat":                 {[]uint8{99, 99, 99, 99}, map[int]int{0: -127, 255: 127}},
		"black and white":      {[]uint8{255, 0, 255, 0, 255, 0, 255}, map[int]int{0: -127, 127: 0, 128: 0, 255: 127}},
		"pale":                 {[]uint8{200, 100, 200, 100, 200, 100}, map[int]int{0: -127, 99: -127, 100: -127, 150: 0, 200: 127, 255: 127}},
		"only one dark":        {[]uint8{255, 255, 55, 255, 255}, map[int]int{55: -127, 155: 0, 255: 127}},
		"outliers are left":    {[]uint8{0, 90, 40, 90, 40, 90, 40, 90, 40, 90, 40, 255, 40, 90, 40}, map[int]int{40: -127, 65: 0, 90: 127, 255: 127}},
		"dark as light":        {[]uint8{0, 50, 50, 60}, map[int]int{0: -127, 50: -127, 51: 127, 255: 127}},
		"dark lighter than it": {[]uint8{255, 200, 255, 200, 255, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0}, map[int]int{0: -127, 255: 127}},
	} {
		t.Run(name, func(t *testing.T) {
			const height = 3
			var l lane
			s := Strip{Width: len(c.row), Pix: make([]uint8, height*len(c.row))}
			copy(s.Pix[len(c.row):], c.row)
			table := l.contrast(s, height)
			for v, want := range c.want {
				if got := int(table[v]); got < want-1 || got > want+1 {
					t.Errorf("%d becomes %d, want %d", v, got, want)
				}
			}
			for v := range 255 {
				if table[v] < -127 || table[v] > table[v+1] {
					t.Errorf("%d becomes %d, %d becomes %d", v, table[v], v+1, table[v+1])
				}
			}
		})
	}
}
