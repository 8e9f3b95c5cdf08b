package evaluate

import (
	"context"
	"image"
	"image/color"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// idler is an engine that takes its time over large pictures, and reads
// nothing. It counts the pictures it was given.
type idler struct {
	cold, changed time.Duration // for the first large picture, for others
	small, large  *int
	seen          bool
}

func (*idler) Name() string                { return "idler" }
func (*idler) Ready(context.Context) error { return nil }

func (e *idler) Read(_ context.Context, screen perception.Screen, _ sdkapi.Reading) ([]perception.Row, error) {
	switch {
	case screen.Rect.Dx() < 500: // to warm up
		*e.small++
		time.Sleep(time.Minute)
	case e.seen:
		*e.large++
		time.Sleep(e.changed)
	default:
		*e.large++
		time.Sleep(e.cold)
		e.seen = true
	}
	return nil, nil
}

// A fast engine reads a screen several times, each time afresh, and what it
// does before does not count.
func TestMeasure(t *testing.T) {
	t.Parallel()
	screen, err := encode(t.Context(), image.NewNRGBA(image.Rect(0, 0, 1000, 500)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cold   []time.Duration // of each round
		rounds int
		want   times
	}{
		"slow":     {[]time.Duration{2 * time.Second}, 1, times{Cold: 2000, Changed: 1000}},
		"not slow": {[]time.Duration{300 * time.Millisecond, 200 * time.Millisecond}, 2, times{Cold: 250, Changed: 125}},
		"fast":     {[]time.Duration{9, 5, 1e6, 2e6, 8}, 5, times{Cold: 9e-6, Changed: 4e-6}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rounds, small, large := 0, 0, 0
				fresh := func() *perception.Scenes {
					cold := tt.cold[rounds%len(tt.cold)]
					rounds++
					return perception.NewScenes(&idler{cold: cold, changed: cold / 2, small: &small, large: &large}, perception.Options{Timeout: time.Hour})
				}
				_, got, err := measure(t.Context(), fresh, screen)
				if err != nil || got != tt.want || rounds != tt.rounds || small != rounds || large != 2*rounds {
					t.Errorf("%+v, want %+v; %d rounds, want %d; %d pictures to warm up; %d read; %v", got, tt.want, rounds, tt.rounds, small, large, err)
				}
			})
		})
	}
}

// A change touches at most a twenty-fifth of a screen, and brings new text.
func TestChange(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1440, 900}, {780, 1520}, {64, 40}, {1, 1}} {
		t.Run(size.String(), func(t *testing.T) {
			before := image.NewNRGBA(image.Rectangle{Max: size})
			data, err := encode(t.Context(), before, nil)
			if err != nil {
				t.Fatal(err)
			}
			data, err = change(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			after, _, err := perception.Decode(t.Context(), data)
			if err != nil || after.Rect != before.Rect {
				t.Fatal(after.Rect, err)
			}
			changed, dark := 0, 0
			for i := 0; i < len(after.Pix); i += 4 {
				pixel := color.NRGBA{after.Pix[i], after.Pix[i+1], after.Pix[i+2], after.Pix[i+3]}
				if pixel != (color.NRGBA{}) {
					changed++
				}
				if pixel.A == 255 && pixel.R < 100 {
					dark++
				}
			}
			all := size.X * size.Y
			if changed > all/25+size.X || size.X > 500 && (changed < all/26 || dark < changed/100) {
				t.Errorf("%v: %d of %d pixels changed, %d of them to dark", size, changed, all, dark)
			}
		})
	}
}
