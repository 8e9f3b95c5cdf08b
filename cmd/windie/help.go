package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/windieos/windie/internal/plain"
)

// Groups of commands in the help of windie, by id and title.
var commandGroups = []*cobra.Group{
	{ID: "gateway", Title: "The gateway"},
	{ID: "pictures", Title: "Images, without a gateway"},
	{ID: "tools", Title: "Tools and agents"},
	{ID: "people", Title: "Users and tokens"},
	{ID: "state", Title: "Storage"},
}

// inGroup puts commands into a group.
func inGroup(id string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = id
	}
	return commands
}

// settingAnnotation marks the flags of settings, which `windie help settings` lists.
const settingAnnotation = "setting"

// settingFlag is the flag of a setting. Its text is parsed together with the other sources of
// settings.
type settingFlag struct{ kind, text string }

var _ pflag.Value = (*settingFlag)(nil)

func (f *settingFlag) String() string     { return f.text }
func (f *settingFlag) Set(s string) error { f.text = s; return nil }
func (f *settingFlag) Type() string       { return f.kind }

// addSettingFlag adds the flag of a setting. A boolean setting needs no value.
func addSettingFlag(flags *pflag.FlagSet, s setting) {
	f := flags.VarPF(&settingFlag{kind: s.placeholder()}, s.flag(), "", fmt.Sprintf("%s (env %s)", s.doc, s.env))
	if s.kind() == "bool" {
		f.NoOptDefVal = "true"
	}
	f.Annotations = map[string][]string{settingAnnotation: {s.key}}
}

// isSetting reports whether a flag is a setting or names the settings file.
func isSetting(f *pflag.Flag) bool { return f.Annotations[settingAnnotation] != nil }

// finishCommands completes a command and those below it: our usage text, exit code 2 for wrong
// calls, and help for a command that only groups others.
func finishCommands(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return explainArguments(cmd, args, err)
			}
			return nil
		}
	}
	if !cmd.Runnable() && cmd.HasAvailableSubCommands() && cmd.HasParent() {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		}
	}
	for _, c := range cmd.Commands() {
		finishCommands(c)
	}
}

// startWithSummaries begins the description of a command and of those below it with the summary.
func startWithSummaries(cmd *cobra.Command) {
	if cmd.Long != "" {
		cmd.Long = cmd.Short + ".\n\n" + cmd.Long
	}
	for _, c := range cmd.Commands() {
		startWithSummaries(c)
	}
}

// unknownCommand returns the error for a name that no command below cmd has, with the nearest
// names.
func unknownCommand(cmd *cobra.Command, name string) error {
	said := fmt.Sprintf("unknown command %q for %q", name, cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	if names := cmd.SuggestionsFor(name); len(names) > 0 {
		said += "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return &usageError{cmd, errors.New(said)}
}

// usageError is the error of a wrong call of a command.
type usageError struct {
	cmd *cobra.Command
	err error
}

// Unwrap returns the error without the usage line.
func (e *usageError) Unwrap() error { return e.err }

// Error returns three lines: the problem, the usage of the command, and where to find its help.
func (e *usageError) Error() string {
	return fmt.Sprintf("%v\nusage: %s\nsee also: %s --help", e.err, usageLine(e.cmd), e.cmd.CommandPath())
}

// usageLine returns the usage line of a command.
func usageLine(cmd *cobra.Command) string {
	switch {
	case !cmd.HasParent():
		return cmd.CommandPath() + " COMMAND"
	case cmd.HasAvailableSubCommands() && cmd.Args == nil:
		return cmd.CommandPath() + " COMMAND"
	case ownFlags(cmd).HasAvailableFlags():
		return cmd.UseLine()
	}
	return cmd.Parent().CommandPath() + " " + cmd.Use
}

// ownFlags returns the flags of a command that are not settings.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	own := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	add := func(f *pflag.Flag) {
		if !isSetting(f) {
			own.AddFlag(f)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return own
}

// printUsage prints the part of a command's help after its description.
func printUsage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprintf(w, "Usage:\n  %s\n", usageLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if !cmd.HasParent() {
		nameCommands(w, cmd)
	} else if err := listCommands(w, "Commands", cmd, ""); err != nil {
		return err
	}
	if common := commonSettings(cmd); common.HasAvailableFlags() {
		fmt.Fprintf(w, "\nCommon settings:\n%s", common.FlagUsagesWrapped(pageWidth))
	}
	if flags := ownFlags(cmd); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(pageWidth))
	}
	if cmd.HasParent() {
		fmt.Fprintln(w, "\nSettings are flags too, for example --data-dir FOLDER: see windie help settings")
		return nil
	}
	_, err := fmt.Fprintln(w, "\nTo start: windie serve, then windie doctor --running. For details of a command:\nwindie COMMAND --help. For more: windie help commands, settings or exit-codes.")
	return err
}

// commonAnnotation names the settings that the help of a command shows.
const commonAnnotation = "common"

// commonSettings returns the flags of the settings that the help of a command shows, most used
// first.
func commonSettings(cmd *cobra.Command) *pflag.FlagSet {
	common := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	common.SortFlags = false
	for _, name := range strings.Fields(cmd.Annotations[commonAnnotation]) {
		common.AddFlag(cmd.InheritedFlags().Lookup(name))
	}
	return common
}

// nameCommands lists the names of windie's commands by group, without descriptions, so that the
// page fits on a screen.
func nameCommands(w io.Writer, root *cobra.Command) {
	fmt.Fprintln(w)
	for _, g := range append(root.Groups(), &cobra.Group{Title: "Other"}) {
		fmt.Fprintf(w, "%s:\n", g.Title)
		var names []string
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(names, "  "))
	}
}

// commandsPage lists all commands of windie by group.
func commandsPage(root *cobra.Command) string {
	var page strings.Builder
	for _, g := range root.Groups() {
		_ = listCommands(&page, g.Title, root, g.ID) // cannot fail: it writes to a Builder
	}
	return strings.TrimSpace(page.String())
}

// listCommands lists the commands of a group, with their descriptions.
func listCommands(w io.Writer, title string, of *cobra.Command, group string) error {
	table, first := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), true
	for _, c := range of.Commands() {
		if c.GroupID != group || !c.IsAvailableCommand() {
			continue
		}
		if first {
			fmt.Fprintf(table, "\n%s:\n", title)
			first = false
		}
		fmt.Fprintf(table, "  %s\t%s\n", c.Name(), c.Short)
	}
	return table.Flush()
}

// colour is the code of a terminal colour.
type colour string

// Colours of marks. See ECMA-48, select graphic rendition.
const (
	red   colour = "31"
	green colour = "32"
)

// painterOf returns a function that colours texts for w. It does nothing unless w is a terminal and
// NO_COLOR is unset or empty.
func painterOf(w io.Writer) func(colour, string) string {
	if !plain.IsTerminal(w) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return func(_ colour, text string) string { return text }
	}
	return func(c colour, text string) string { return "\x1b[" + string(c) + "m" + text + "\x1b[0m" }
}

// helpCommand prints the help of another command, or a page about another topic.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND...]",
		Short:   "Print the help of a command, or a page on settings or exit codes",
		Example: "  windie help plugin add\n  windie help settings",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if found, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range found.Commands() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return unknownCommand(cmd.Root(), args[0])
			case len(rest) > 0:
				return unknownCommand(found, rest[0])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// helpTopics returns the pages of `windie help` that are not about a command.
func helpTopics(root *cobra.Command) []*cobra.Command {
	return []*cobra.Command{
		{Use: "commands", Short: "All commands, one line each", Long: commandsPage(root)},
		{Use: "settings", Short: "All settings with flag, variable and default", Long: settingsPage()},
		{Use: "exit-codes", Short: "The exit codes of windie", Long: exitCodesPage()},
	}
}

// pageWidth is the width of help pages, in characters.
const pageWidth = 100

// settingsPage lists the settings by group.
func settingsPage() string {
	var page strings.Builder
	page.WriteString(wrapped("Each setting is an environment variable, and a key in the YAML file given with --config or WINDIE_CONFIG. Each setting that "+
		"is not a secret is also a flag of every command. A flag overrides a variable, and a variable overrides the file. "+
		"`windie config` prints the settings in force as a YAML file for --config.", "", pageWidth) + "\n")
	group := "?"
	for _, s := range settings(new(config)) {
		of, _, nested := strings.Cut(s.key, ".")
		if !nested {
			of = "general"
		}
		if of != group {
			group = of
			fmt.Fprintf(&page, "\n%s\n", strings.ToUpper(group))
		}
		called := "--" + s.flag()
		if s.secret() {
			called = s.key
		}
		preset := ""
		if s.preset != "" {
			preset = "  default " + s.preset
		}
		fmt.Fprintf(&page, "  %s  %s  %s%s\n", called, s.kind(), s.env, preset)
		page.WriteString(wrapped(s.doc, "      ", pageWidth) + "\n")
	}
	return strings.TrimSpace(page.String())
}

// wrapped breaks a text into lines of at most width characters, each after an indent.
func wrapped(text, indent string, width int) string {
	var lines []string
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len([]rune(line))+len([]rune(word)) >= width {
			lines, line = append(lines, line), indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// exitCodes are the exit codes of windie, in ascending order.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{0, "success"},
	{exitFailed, "the command failed, or the result is negative: nothing matches, a check fails, you declined"},
	{exitUsage, "invalid usage: an unknown command or flag, wrong arguments or settings"},
	{exitDamaged, "the database is damaged: a restart does not help, see docs/operate.md"},
	{exitInterrupted, "Ctrl-C or a signal interrupted the command"},
}

// exitCodesPage returns the table of exit codes.
func exitCodesPage() string {
	var page strings.Builder
	page.WriteString("Exit codes:\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&page, "  %-3d  %s\n", c.code, c.meaning)
	}
	return strings.TrimRight(page.String(), "\n")
}
