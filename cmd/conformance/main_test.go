package main

import (
	"strings"
	"testing"
)

// Commands of drivers are separated by "--".
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"none", nil, ""},
		{"one", []string{"node", "driver.mjs"}, "node driver.mjs"},
		{"one with flags", []string{"node", "--flag"}, "node --flag"},
		{"two", []string{"node", "driver.mjs", "--", "python3", "driver.py"}, "node driver.mjs | python3 driver.py"},
		{"empty ones", []string{"--", "a", "b", "--", "--", "c", "--"}, "a b | c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, command := range commands(tt.args) {
				got = append(got, strings.Join(command, " "))
			}
			if strings.Join(got, " | ") != tt.want {
				t.Errorf("%q are %q", tt.args, got)
			}
		})
	}
}
