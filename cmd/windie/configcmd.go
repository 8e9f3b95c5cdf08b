package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// configCommand returns `windie config`. Its output is a valid settings file.
func configCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Print the settings in force, as YAML for --config",
		Long:    "A comment explains each setting. Secrets are commented out, and their values are left out.",
		Example: "  windie config > windie.yaml\n  windie config --json",
		Args:    cobra.NoArgs,
	}
	answer := printed(cmd)
	cmd.RunE = load.run(func(_ *cobra.Command, c *config, _ []string) error { return answer(inForce{c}) })
	return cmd
}

// inForce prints settings without secrets.
type inForce struct{ *config }

// print prints the settings as YAML. It drops errors of w.
func (f inForce) print(w io.Writer) error {
	printConfig(w, f.config)
	return nil
}

// MarshalJSON writes the settings as a JSON object whose names are the setting keys. A duration is a
// string such as 30s. A secret is "[set]", or "" if it is empty.
func (f inForce) MarshalJSON() ([]byte, error) {
	all := map[string]any{}
	for _, s := range settings(f.config) {
		value := s.value.Interface()
		if d, is := value.(time.Duration); is {
			value = d.String()
		}
		all[s.key] = value
	}
	return json.Marshal(all)
}

// printConfig writes c as documented YAML. Secrets are comments.
func printConfig(w io.Writer, c *config) {
	group := ""
	for _, s := range settings(c) {
		name, indent := s.key, ""
		if g, rest, nested := strings.Cut(s.key, "."); nested {
			if g != group {
				fmt.Fprintf(w, "\n%s:\n", g)
			}
			group, name, indent = g, rest, "  "
		}
		fmt.Fprintf(w, "%s# %s (env %s)\n", indent, s.doc, s.env)
		if s.secret() {
			fmt.Fprintf(w, "%s# %s: %s\n", indent, name, cmp.Or(fmt.Sprint(s.value.Interface()), "not set"))
			continue
		}
		fmt.Fprintf(w, "%s%s: %s\n", indent, name, yamlValue(s.value))
	}
}

// yamlValue returns a value as YAML on one line. A string is quoted, so that YAML reads it as a
// string.
func yamlValue(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case string:
		return fmt.Sprintf("%q", value) // a JSON string is a YAML string
	case time.Duration:
		return value.String()
	case []string:
		quoted := make([]string, len(value))
		for i, s := range value {
			quoted[i] = fmt.Sprintf("%q", s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	default:
		return fmt.Sprint(value)
	}
}
