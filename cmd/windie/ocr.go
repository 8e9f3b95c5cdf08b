package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"os"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// ocrOptions are the flags of the ocr command.
type ocrOptions struct {
	find      string
	threshold float64
	overlay   string
	json      bool
}

func ocrCommand(load loader) *cobra.Command {
	var o ocrOptions
	cmd := &cobra.Command{
		Use:   "ocr FILE",
		Short: "Read the text on one picture, without a gateway",
		Long: "Reads FILE (- for standard input) and prints its rows: where to click, how sure the reader is, the text.\n" +
			"With --find it prints the rows that match, and exits with 1 unless exactly one is meant.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			return runOCR(cmd, c, args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.find, "find", "", "print only the rows that match this text")
	cmd.Flags().Float64Var(&o.threshold, "threshold", sdkapi.DefaultThreshold, "least score of a match, 0 to 1")
	cmd.Flags().StringVar(&o.overlay, "overlay", "", "write a PNG with the rows marked to this file")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runOCR(cmd *cobra.Command, c *config, file string, o ocrOptions) error {
	if o.threshold < 0 || o.threshold > 1 {
		return &configError{[]string{"--threshold: must be between 0 and 1"}}
	}
	data, err := readFile(cmd.InOrStdin(), file)
	if err != nil {
		return err
	}
	src := perception.SourceOf(data)
	scenes := newScenes(c)
	scene, err := scenes.Scene(cmd.Context(), src)
	if err != nil {
		return err
	}
	found := findRows(scene, o)
	if o.overlay != "" {
		if err := writeOverlay(cmd.Context(), scenes, src, found, o.overlay); err != nil {
			return err
		}
	}
	if err := printRows(cmd.OutOrStdout(), file, scene, found, o); err != nil {
		return err
	}
	return verdict(cmd.ErrOrStderr(), found, o)
}

// readFile reads a picture of at most the size that is decoded, and one byte
// more, so that a larger one is refused and not cut.
func readFile(stdin io.Reader, name string) ([]byte, error) {
	r := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	return io.ReadAll(io.LimitReader(r, perception.MaxImageBytes+1))
}

// findRows returns the rows that o asks for. Without a text to find that is
// all of them, with a score of 0.
func findRows(scene *perception.Scene, o ocrOptions) []match.Match {
	if o.find != "" {
		return match.Above(match.NewIndex(scene.Rows).Rank(o.find), o.threshold)
	}
	all := make([]match.Match, len(scene.Rows))
	for i, r := range scene.Rows {
		all[i] = match.Match{Index: i, Row: r}
	}
	return all
}

func writeOverlay(ctx context.Context, scenes *perception.Scenes, src perception.Source, rows []match.Match, name string) error {
	marks := make([]overlay.Mark, len(rows))
	for i, m := range rows {
		marks[i] = overlay.Mark{Box: m.Row.Box, Label: strconv.Itoa(m.Index)}
	}
	return scenes.WithPixels(ctx, src, func(ctx context.Context, pixels *image.NRGBA) error {
		drawn, err := overlay.Draw(ctx, pixels, marks, overlay.Options{Labels: true})
		if err != nil {
			return err
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		if err := overlay.Encode(f, drawn); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	})
}

func printRows(w io.Writer, file string, scene *perception.Scene, rows []match.Match, o ocrOptions) error {
	if o.json {
		return printJSON(w, file, scene, rows, o)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, m := range rows {
		center := perception.Center(m.Row.Box)
		fmt.Fprintf(table, "%d\t%d,%d\t%.0f%%\t  %s\n", m.Index, center.X, center.Y, 100*m.Row.Confidence, m.Row.Text)
	}
	return table.Flush()
}

// printJSON prints what the gateway's ocr/run would answer.
func printJSON(w io.Writer, file string, scene *perception.Scene, rows []match.Match, o ocrOptions) error {
	answer := sdkapi.OCRRunResponse{
		Image:   sdkapi.ImageInfo{SourceID: file, ContentType: scene.ContentType, Width: scene.Width, Height: scene.Height},
		Results: make([]sdkapi.Row, len(rows)),
	}
	for i, m := range rows {
		if o.find == "" {
			answer.Results[i] = gateway.WireRow(m.Index, m.Row)
		} else {
			answer.Results[i] = gateway.MatchRow(m)
		}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(answer)
}

// verdict tells a script whether --find has one answer.
func verdict(w io.Writer, found []match.Match, o ocrOptions) error {
	if o.find == "" {
		return nil
	}
	one, rivals := match.Choose(found, o.threshold)
	switch {
	case one != nil:
		return nil
	case len(rivals) == 0:
		fmt.Fprintf(w, "windie: no row matches %q\n", o.find)
	default:
		fmt.Fprintf(w, "windie: %d rows match %q alike\n", len(rivals), o.find)
	}
	return silentError(exitFailed)
}
