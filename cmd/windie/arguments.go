package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// argumentError lists all problems of the flags and arguments of a call.
type argumentError struct{ configError }

// orNil returns e if it has a problem, and otherwise nil.
func (e *argumentError) orNil() error {
	if len(e.problems) == 0 {
		return nil
	}
	return e
}

// Error returns a text with a line for each problem.
func (e *argumentError) Error() string {
	return "wrong arguments:\n  - " + strings.Join(e.problems, "\n  - ")
}

// wrongArgument returns an argumentError with one problem.
func wrongArgument(format string, args ...any) error {
	e := new(argumentError)
	e.add(true, format, args...)
	return e
}

// placeholders returns the arguments in a command's usage line, in forms such as FILE, [TOOL] or
// [TOOL...].
func placeholders(cmd *cobra.Command) []string { return strings.Fields(cmd.Use)[1:] }

// explainArguments returns why cmd rejects args: it names the missing or extra arguments. err is
// the library's error, used if the usage line does not explain the problem.
func explainArguments(cmd *cobra.Command, args []string, err error) error {
	takes := placeholders(cmd)
	switch needs := slices.DeleteFunc(slices.Clone(takes), func(name string) bool { return strings.HasPrefix(name, "[") }); {
	case len(takes) == 0 && cmd.HasAvailableSubCommands():
		return unknownCommand(cmd, args[0])
	case len(takes) == 0:
		err = fmt.Errorf("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
	case len(args) < len(needs):
		err = fmt.Errorf("missing %s", strings.Join(needs[len(args):], " "))
	case len(args) > len(takes):
		err = fmt.Errorf("%s takes only %s, but also got %q", cmd.CommandPath(), strings.Join(takes, " "), args[len(takes)])
	}
	return &usageError{cmd, err}
}

// explainFlag returns why a flag is invalid, with the nearest known flag.
func explainFlag(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := nearest(unknown.GetSpecifiedName(), known); near != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	return &usageError{cmd, err}
}

// maxSlips is the maximum edit distance of a suggestion, in characters. For a short name it is half
// of the name's length.
const maxSlips = 3

// nearest returns the known name nearest to name, or "" if none is near.
func nearest(name string, known []string) string {
	slips := func(of string) int { return fuzzy.LevenshteinDistance(name, of) }
	near := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(slips(a), slips(b)) })
	if slips(near) > min(maxSlips, len(name)/2) {
		return ""
	}
	return near
}
