package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// ocrOptions are the flags of the ocr command.
type ocrOptions struct {
	find       string
	near       string
	occurrence int
	region     string
	threshold  float64
	languages  string
	overlay    string
	json       bool
}

func ocrCommand(load loader) *cobra.Command {
	var o ocrOptions
	cmd := &cobra.Command{
		Use:   "ocr FILE",
		Short: "Read the text on one picture, without a gateway",
		Long: "Reads FILE (- for standard input) and prints its rows: where to click, how sure the reader is, the text.\n" +
			"With --find it prints the rows that match, and exits with 1 unless exactly one is meant. Which one that is of\n" +
			"several can be told by --region, --near and --occurrence.",
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
	cmd.Flags().StringVar(&o.near, "near", "", "of rows that match alike, the one nearest to this text is meant")
	cmd.Flags().IntVar(&o.occurrence, "occurrence", 0, "of rows that match alike, the n-th is meant, from 1 in reading order")
	cmd.Flags().StringVar(&o.region, "region", "", "look only at this part of the picture, as `x,y,width,height`")
	cmd.Flags().Float64Var(&o.threshold, "threshold", sdkapi.DefaultThreshold, "least score of a match, 0 to 1")
	cmd.Flags().StringVar(&o.languages, "languages", "", "languages to read, as eng+deu (default: those of the configuration)")
	cmd.Flags().StringVar(&o.overlay, "overlay", "", "write a PNG with the rows marked to this file")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// query returns what o asks for, or all that is wrong with it.
func (o ocrOptions) query() (match.Query, error) {
	var problems []string
	region, err := parseRegion(o.region)
	if err != nil {
		problems = append(problems, regionProblem)
	}
	if o.threshold < 0 || o.threshold > 1 {
		problems = append(problems, "--threshold: must be between 0 and 1")
	}
	if o.occurrence < 0 {
		problems = append(problems, "--occurrence: must not be negative")
	}
	if o.find == "" && (o.near != "" || o.occurrence != 0) {
		problems = append(problems, "--near and --occurrence: tell rows that match apart; give --find as well")
	}
	if problems != nil {
		return match.Query{}, &configError{problems}
	}
	return match.Query{Text: o.find, Threshold: o.threshold, Region: region, Near: o.near, Occurrence: o.occurrence}, nil
}

const regionProblem = "--region: must be x,y,width,height in pixels, as 0,100,640,480"

// parseRegion reads x,y,width,height. Nothing is the whole picture.
func parseRegion(s string) (image.Rectangle, error) {
	if s == "" {
		return image.Rectangle{}, nil
	}
	var n [4]int
	parts := strings.Split(s, ",")
	if len(parts) != len(n) {
		return image.Rectangle{}, errors.New("not four numbers")
	}
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(strings.TrimSpace(parts[i])); err != nil {
			return image.Rectangle{}, err
		}
	}
	if n[2] < 1 || n[3] < 1 {
		return image.Rectangle{}, errors.New("nothing is in it")
	}
	return image.Rect(n[0], n[1], n[0]+n[2], n[1]+n[3]), nil
}

func runOCR(cmd *cobra.Command, c *config, file string, o ocrOptions) error {
	query, err := o.query()
	if err != nil {
		return err
	}
	data, err := readFile(cmd.InOrStdin(), file)
	if err != nil {
		return err
	}
	src := perception.SourceOf(data)
	src.Languages = o.languages
	scenes := newScenes(c, nil)
	scene, err := scenes.Scene(cmd.Context(), src)
	if err != nil {
		return err
	}
	found := match.NewIndex(scene.Rows).Find(query)
	rows := rowsToPrint(scene, found)
	if o.overlay != "" {
		if err := writeOverlay(cmd.Context(), scenes, src, rows, o.overlay); err != nil {
			return err
		}
	}
	if err := printRows(cmd.OutOrStdout(), file, scene, rows, o); err != nil {
		return err
	}
	return verdict(cmd.ErrOrStderr(), found)
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

// rowsToPrint returns the rows that were asked for: those that match, or the
// one meant by its number. Without a text to find they are all in the region,
// with a score of 0.
func rowsToPrint(scene *perception.Scene, found *match.Found) []match.Match {
	one, _ := found.Resolve()
	switch q := found.Query; {
	case q.Text != "" && q.Occurrence == 0:
		return found.Matches()
	case q.Text != "" && one != nil:
		return []match.Match{*one}
	case q.Text != "":
		return nil
	}
	var all []match.Match
	for i, r := range scene.Rows {
		if region := found.Query.Region; region.Empty() || perception.Center(r.Box).In(region) {
			all = append(all, match.Match{Index: i, Row: r})
		}
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
		fmt.Fprintf(table, "%d\t%d,%d\t%.0f%%\t  %s\n", m.Index, center.X, center.Y, 100*m.Row.Confidence, plain.Text(m.Row.Text))
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
func verdict(w io.Writer, found *match.Found) error {
	q := found.Query
	one, rivals := found.Resolve()
	switch {
	case q.Text == "" || one != nil:
		return nil
	case found.NearMissing:
		fmt.Fprintf(w, "windie: no row matches %q, which --near names\n", q.Near)
	case len(rivals) == 0:
		fmt.Fprintf(w, "windie: no row matches %q\n", q.Text)
	case q.Occurrence > 0:
		fmt.Fprintf(w, "windie: there is no occurrence %d of %q, only %d\n", q.Occurrence, q.Text, len(rivals))
	default:
		fmt.Fprintf(w, "windie: %d rows match %q alike; say which by --near, --region or --occurrence\n", len(rivals), q.Text)
	}
	return silentError(exitFailed)
}
