package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/tabwriter"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/perception"
)

// Variant is the accuracy of reading for screens that were changed in one way, for example
// compressed as JPEG. Each number is the mean over the screens.
type Variant struct {
	// Name is the change, for example "JPEG 80".
	Name       string  `json:"name"`
	WordRecall float64 `json:"word_recall"` // share of correct words
	// Precision is the share of read words that are correct.
	Precision float64 `json:"precision"`
	// Located is the share of true words at whose position the reader found any word.
	Located float64 `json:"located"`
	// Skipped says why the variant could not be made. It is empty if the variant was made.
	Skipped string `json:"skipped,omitempty"`
}

// variant changes the picture of a screen. scale is the factor of all lengths; moved is the new
// position of the top left corner.
type variant struct {
	name  string
	scale float64
	moved image.Point
	make  func(ctx context.Context, screen *image.NRGBA) ([]byte, error)
}

// variants returns typical changes of pictures before they reach a gateway. The first makes no
// change.
func variants() []variant {
	list := []variant{asPNG("as it is", func(s image.Image) *image.NRGBA { return imaging.Clone(s) })}
	for _, quality := range []int{90, 80, 70, 60} {
		list = append(list, variant{name: fmt.Sprintf("JPEG %d", quality), scale: 1, make: asJPEG(quality)})
	}
	list = append(list, variant{name: "WebP 80", scale: 1, make: asWebP})
	for _, s := range []struct {
		by     float64
		name   string
		filter imaging.ResampleFilter
	}{
		{0.75, "box", imaging.Box}, {0.9, "linear", imaging.Linear}, {1.1, "linear", imaging.Linear}, {1.25, "linear", imaging.Linear},
		{1.25, "Lanczos", imaging.Lanczos}, {1.5, "cubic", imaging.CatmullRom}, {2, "linear", imaging.Linear}, {2, "nearest", imaging.NearestNeighbor},
	} {
		v := asPNG(fmt.Sprintf("x%g %s", s.by, s.name), func(screen image.Image) *image.NRGBA {
			return imaging.Resize(screen, int(math.Round(float64(screen.Bounds().Dx())*s.by)), 0, s.filter)
		})
		v.scale = s.by
		list = append(list, v)
	}
	return append(list,
		moved("moved by 3", image.Pt(3, 3)),
		asPNG("inverted", imaging.Invert),
		asPNG("grey", imaging.Grayscale),
		asPNG("gamma 1.4", func(s image.Image) *image.NRGBA { return imaging.AdjustGamma(s, 1.4) }),
		asPNG("blurred", func(s image.Image) *image.NRGBA { return imaging.Blur(s, 0.6) }),
	)
}

// asPNG returns a variant that changes the picture and encodes it as PNG. change must keep its size, or the caller sets
// scale.
func asPNG(name string, change func(image.Image) *image.NRGBA) variant {
	return variant{name: name, scale: 1, make: func(ctx context.Context, screen *image.NRGBA) ([]byte, error) {
		return encode(ctx, change(screen), nil)
	}}
}

// moved returns a variant that shifts the picture. The free margin is white; the opposite edge is cut off.
func moved(name string, by image.Point) variant {
	v := asPNG(name, func(s image.Image) *image.NRGBA {
		out := image.NewNRGBA(s.Bounds())
		draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(out, out.Rect.Add(by), s, image.Point{}, draw.Src)
		return out
	})
	v.moved = by
	return v
}

// asJPEG returns an encoder with half the color resolution, like most encoders.
func asJPEG(quality int) func(context.Context, *image.NRGBA) ([]byte, error) {
	return func(_ context.Context, screen *image.NRGBA) ([]byte, error) {
		var out bytes.Buffer
		err := jpeg.Encode(&out, screen, &jpeg.Options{Quality: quality})
		return out.Bytes(), err
	}
}

// errNoWebP is the reason for a missing WebP variant: no Go package encodes lossy WebP.
var errNoWebP = errors.New("the program cwebp is missing; install Debian's package webp")

// asWebP encodes with quality 80 by the program cwebp. Without the program the error is errNoWebP.
func asWebP(ctx context.Context, screen *image.NRGBA) ([]byte, error) {
	program, err := exec.LookPath("cwebp")
	if err != nil {
		return nil, errNoWebP
	}
	dir, err := os.MkdirTemp("", "windie-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "screen.png"), filepath.Join(dir, "screen.webp")
	data, err := encode(ctx, screen, nil)
	if err == nil {
		err = os.WriteFile(from, data, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, program, "-quiet", "-q", strconv.Itoa(80), from, "-o", to).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cwebp: %w: %s", err, out)
	}
	return os.ReadFile(to)
}

// Variants evaluates screens in the folder dir: first unchanged, and then after each of several
// changes. The parameter part selects the screens. Variants calls newScenes for each picture.
// It returns the errors of
// Folder.
func Variants(ctx context.Context, dir string, part Part, newScenes func() *perception.Scenes) ([]Variant, error) {
	labels, err := readPart(dir, part)
	if err != nil {
		return nil, err
	}
	all := variants()
	list := make([]Variant, len(all))
	for i, v := range all {
		list[i].Name = v.name
	}
	for n, l := range labels {
		progress.Report(ctx, readScreens, int64(n), int64(len(labels)))
		data, err := os.ReadFile(l.file)
		if err != nil {
			return nil, err
		}
		for i, v := range all {
			s, err := v.read(ctx, newScenes(), l, data)
			switch {
			case errors.Is(err, errNoWebP):
				list[i].Skipped = err.Error()
			case err != nil:
				return nil, fmt.Errorf("%s, %s: %w", l.file, v.name, err)
			default:
				list[i].add(s, 1/float64(len(labels)))
			}
		}
	}
	return list, nil
}

// add adds the scores of one screen with the weight part, which is 1 divided by the number of screens.
func (v *Variant) add(s score, part float64) {
	v.WordRecall += s.recall() * part
	v.Precision += s.precision() * part
	v.Located += s.located() * part
}

// read scores the text read on a changed screen.
func (v variant) read(ctx context.Context, scenes *perception.Scenes, l labelled, data []byte) (score, error) {
	screen, _, err := perception.Decode(ctx, data)
	if err != nil {
		return score{}, err
	}
	made, err := v.make(ctx, screen)
	if err != nil {
		return score{}, err
	}
	scene, err := scenes.Scene(ctx, perception.SourceOf(made))
	if err != nil {
		return score{}, err
	}
	return l.truth.on(v).score(scene.Rows), nil
}

// on returns the truth in the coordinates of a variant.
func (t truth) on(v variant) truth {
	x, y := float64(v.moved.X)/t.DPR, float64(v.moved.Y)/t.DPR
	out := t
	out.DPR, out.Words, out.Ignore = t.DPR*v.scale, make([]trueWord, len(t.Words)), make([][4]float64, len(t.Ignore))
	for i, w := range t.Words {
		w.X, w.Y = w.X+x, w.Y+y
		out.Words[i] = w
	}
	for i, b := range t.Ignore {
		out.Ignore[i] = [4]float64{b[0] + x, b[1] + y, b[2], b[3]}
	}
	return out
}

// PrintVariants writes list to w as a table. The table also shows the difference between each
// variant and the first variant, which is the unchanged screens.
func PrintVariants(w io.Writer, list []Variant) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "variant\trecall\tprecision\tlocated\trecall, to the first\t")
	for _, v := range list {
		if v.Skipped != "" {
			fmt.Fprintf(table, "%s\t-\t-\t-\t%s\t\n", v.Name, v.Skipped)
			continue
		}
		fmt.Fprintf(table, "%s\t%.3f\t%.3f\t%.3f\t%+.3f\t\n", v.Name, v.WordRecall, v.Precision, v.Located, v.WordRecall-list[0].WordRecall)
	}
	return table.Flush()
}
