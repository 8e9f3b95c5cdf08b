package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/evaluate"
)

// evalCommand returns `windie eval`. Its flag --engine sets the flag of ocr.engine before the
// settings are loaded.
func evalCommand(load loader) *cobra.Command {
	var asJSON, misses, variants, lines bool
	var engine, held string
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure precision, recall and speed on a folder of labelled screens",
		Long: "The command reads every NAME.png in DIR, compares it with the labels in NAME.json, and asks the\n" +
			"questions in questions.json. It prints:\n\n" +
			"  recall        share of the labelled words that were read correctly\n" +
			"  precision     share of the recognized words that are on the screen\n" +
			"  located       share of the labelled words that were found, even if they were misread\n" +
			"  elements      share of the labelled elements that were found\n" +
			"  controls      share of the labelled buttons and fields that were found\n" +
			"  false         share of the found clickable elements that are not on the screen\n" +
			"  click points  by kind, share of labelled elements whose box contains the center of a found element\n\n" +
			"It also prints times in milliseconds, including decoding: for a first read, for a cached read, for\n" +
			"a read after 4 % of the screen has changed, and for finding the elements after a first read.\n\n" +
			"A resolve question asks for a text. A locate question asks for an element by its description. A\n" +
			"wrong click is an answer with one point, although the question expects another point or no point.\n" +
			"Questions and screens that are held back from tuning are counted separately, and their misses are\n" +
			"not listed. If the labels give a screen's language, words in scripts other than Latin, Greek and\n" +
			"Cyrillic are scored only by position.",
		Example: "  windie eval perception/testdata/screens\n  windie eval perception/testdata/screens --misses",
		Args:    cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if engine == "" {
				return nil
			}
			return cmd.Flags().Set("ocr-engine", engine)
		},
		RunE: load.run(func(cmd *cobra.Command, c *config, args []string) error {
			part, err := evaluate.ParsePart(held)
			if err != nil {
				return wrongArgument("--held: %v", err)
			}
			fresh := func() *perception.Scenes { return newScenes(c, nil, pools{}) }
			if lines {
				return evalLines(cmd, c, args[0], part, fresh, asJSON)
			}
			if variants {
				return evalVariants(cmd, args[0], part, fresh, asJSON)
			}
			ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "reading the labels")
			e, err := evaluate.Folder(ctx, args[0], part, fresh)
			shown()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), e)
			}
			if err := e.Print(cmd.OutOrStdout()); err != nil || !misses {
				return err
			}
			return e.PrintMisses(cmd.OutOrStdout())
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&misses, "misses", false, "list missed words and elements, and wrong answers")
	cmd.Flags().BoolVar(&variants, "variants", false, "also read variants of each screen (JPEG, WebP, scaled, moved, inverted and more), and compare only words")
	cmd.Flags().BoolVar(&lines, "lines", false, "also read each line at its labelled position, to separate reading errors from errors in finding the lines")
	cmd.Flags().StringVar(&held, "held", "", "`PART` of the screens: \"only\" reads the screens that are held back from tuning, \"without\" reads the others")
	cmd.Flags().StringVar(&engine, "engine", "", "OCR `ENGINE`, short for --ocr-engine")
	return cmd
}

// evalVariants prints the results for variants of each screen, such as JPEG and scaled ones. It
// compares only words.
func evalVariants(cmd *cobra.Command, dir string, part evaluate.Part, fresh func() *perception.Scenes, asJSON bool) error {
	ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "reading the labels")
	list, err := evaluate.Variants(ctx, dir, part, fresh)
	shown()
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), list)
	}
	return evaluate.PrintVariants(cmd.OutOrStdout(), list)
}

// evalLines compares reading with reading at the true places of the lines. It fails for an engine
// that finds lines by itself.
func evalLines(cmd *cobra.Command, c *config, dir string, part evaluate.Part, fresh func() *perception.Scenes, asJSON bool) error {
	reader, ok := engines[c.OCR.Engine](c).(evaluate.LineReader)
	if !ok {
		return wrongArgument("--lines: the engine %s finds lines by itself; choose windie", c.OCR.Engine)
	}
	ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "reading the labels")
	list, err := evaluate.Lines(ctx, dir, part, reader, fresh)
	shown()
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), list)
	}
	return evaluate.PrintLines(cmd.OutOrStdout(), list)
}
