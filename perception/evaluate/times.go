package evaluate

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/overlay"
)

// times has the durations of reading a screen in milliseconds, decoding included.
type times struct {
	Cold    float64 `json:"ms_cold_median"`    // a screen that is not cached
	Same    float64 `json:"ms_same_median"`    // the same screen again
	Changed float64 `json:"ms_changed_median"` // the screen after change, with only the original cached

	// additional time for the elements of a screen just read, decoding included
	Looking float64 `json:"ms_elements_median"`
}

// medians returns the median of each time. list must not be empty.
func medians(list []times) times {
	of := func(part func(times) float64) float64 {
		values := make([]float64, len(list))
		for i, t := range list {
			values[i] = part(t)
		}
		return median(values)
	}
	return times{
		Cold: of(func(t times) float64 { return t.Cold }), Same: of(func(t times) float64 { return t.Same }),
		Changed: of(func(t times) float64 { return t.Changed }), Looking: of(func(t times) float64 { return t.Looking }),
	}
}

// median sorts values in place and returns their median; 0 if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// A screen is read in rounds until enoughMS milliseconds are spent, because the times of fast
// rounds vary.
const (
	enoughMS  = 500
	maxRounds = 5
)

// measure returns the elements of a screen, and the times. Each round gets new scenes from fresh,
// so nothing is cached.
func measure(ctx context.Context, fresh func() *perception.Scenes, screen []byte) (*elements.Screen, times, error) {
	changed, err := change(ctx, screen)
	if err != nil {
		return nil, times{}, err
	}
	var first *elements.Screen
	var rounds []times
	for spent := 0.0; spent < enoughMS && len(rounds) < maxRounds; {
		found, t, err := measureOnce(ctx, fresh(), screen, changed)
		if err != nil {
			return nil, times{}, err
		}
		if first == nil {
			first = found
		}
		spent += t.Cold + t.Same + t.Changed
		rounds = append(rounds, t)
	}
	return first, medians(rounds), nil
}

// measureOnce runs one round, after reading a small picture to warm up the engine.
func measureOnce(ctx context.Context, scenes *perception.Scenes, screen, changed []byte) (*elements.Screen, times, error) {
	var t times
	small, err := warmUp(ctx)
	if err != nil {
		return nil, t, err
	}
	screens := elements.NewScreens(scenes)
	if _, err := screens.Screen(ctx, perception.SourceOf(small)); err != nil {
		return nil, t, err
	}
	runtime.GC() // otherwise earlier garbage would be collected in the time of this round
	read := func(data []byte) error {
		_, err := scenes.Scene(ctx, perception.SourceOf(data))
		return err
	}
	var found *elements.Screen
	for _, step := range []struct {
		do func() error
		ms *float64
	}{
		{func() error { return read(screen) }, &t.Cold},
		{func() error { return read(screen) }, &t.Same},
		{func() (err error) { found, err = screens.Screen(ctx, perception.SourceOf(screen)); return err }, &t.Looking},
		{func() error { return read(changed) }, &t.Changed},
	} {
		start := time.Now()
		err := step.do()
		*step.ms = milliseconds(time.Since(start))
		if err != nil {
			return nil, t, err
		}
	}
	return found, t, nil
}

// milliseconds returns d in milliseconds, with a fraction.
func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// warmUp returns a small picture with a line of text.
func warmUp(ctx context.Context) ([]byte, error) {
	img := image.NewNRGBA(image.Rect(0, 0, 240, 60))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	return encode(ctx, img, write(img, 24, "Ready to begin"))
}

// change returns the screen with a dialog in its middle, which covers 4 % of it.
func change(ctx context.Context, data []byte) ([]byte, error) {
	screen, h, err := perception.Decode(ctx, data)
	if err != nil {
		return nil, err
	}
	dialog := screen.SubImage(image.Rect(h.Width*2/5, h.Height*2/5, h.Width*3/5, h.Height*3/5)).(*image.NRGBA)
	draw.Draw(dialog, dialog.Rect, image.NewUniform(color.NRGBA{240, 240, 240, 255}), image.Point{}, draw.Src)
	return encode(ctx, screen, write(dialog, max(12, dialog.Rect.Dx()/18), "Save your changes?", "They are lost otherwise.", "Cancel   Save"))
}

// write draws lines of text into img from its top left, with a letter size of em pixels.
func write(img *image.NRGBA, em int, lines ...string) error {
	letters, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return err
	}
	face, err := opentype.NewFace(letters, &opentype.FaceOptions{Size: float64(em), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return err
	}
	defer face.Close()
	for i, line := range lines {
		at := img.Rect.Min.Add(image.Pt(em, (i+1)*em*3/2))
		pen := font.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(at.X, at.Y)}
		pen.DrawString(line)
	}
	return nil
}

// encode returns img as PNG. If err is not nil, it returns err.
func encode(ctx context.Context, img *image.NRGBA, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	err = overlay.Encode(ctx, &out, img)
	return []byte(out.String()), err
}
