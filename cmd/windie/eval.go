package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/evaluate"
)

func evalCommand(load loader) *cobra.Command {
	var asJSON, misses, variants, lines bool
	var engine, held string
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure how well and how fast the labelled screens of a folder are read",
		Long: "Reads every NAME.png of DIR, compares it with its true words in NAME.json, and asks the questions of questions.json.\n" +
			"Recall is the part of the words that was read rightly, precision the part of what was read that is there, located the\n" +
			"part of the words that was read at all. Elements are the part of what can be acted on that was found, controls that of\n" +
			"buttons and fields; false are those that were found where there is nothing to act on. Click points are the part of what can be\n" +
			"acted on, by kind, in which the middle of something found to act on lies. Times are in milliseconds, decoding\n" +
			"included: of a screen never seen, of the same again, of one of which a twenty-fifth has changed, and what elements add to a\n" +
			"screen never seen.\n\n" +
			"Questions are of the kind resolve, about a text, or locate, about what a description means. A wrong click is a point\n" +
			"that is answered and should not be clicked on. Questions that are held, which nothing may be tuned by, are counted apart,\n" +
			"and their misses are not listed. Neither are those of screens that are held; --held reads them alone, or without them.\n" +
			"Of a word in another script than Latin, Greek and Cyrillic, on a screen that says its language, only the place counts.",
		Args: cobra.ExactArgs(1),
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
	cmd.Flags().BoolVar(&misses, "misses", false, "list what was not found, and what was answered wrongly")
	cmd.Flags().BoolVar(&variants, "variants", false, "read each screen as JPEG, WebP, scaled, moved, inverted and so on, too, and compare only words")
	cmd.Flags().BoolVar(&lines, "lines", false, "read the true lines, cut where they are known to stand, and compare with how they are read when they have to be found")
	cmd.Flags().StringVar(&held, "held", "", "read only the screens that are held back from tuning, or those without them: only, without")
	cmd.Flags().StringVar(&engine, "engine", "", "what reads: short for --ocr-engine")
	return cmd
}

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

func evalLines(cmd *cobra.Command, c *config, dir string, part evaluate.Part, fresh func() *perception.Scenes, asJSON bool) error {
	reader, ok := engines[c.OCR.Engine](c).(evaluate.LineReader)
	if !ok {
		return wrongArgument("--lines: the engine %s finds lines by itself; choose windie or lstm", c.OCR.Engine)
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
