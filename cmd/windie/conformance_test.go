package main

import (
	"strings"
	"testing"
)

// Commands of drivers are separated by "--", wherever the first one is.
func TestDriverCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   []string
		dashAt int
		want   string
	}{
		{"one", []string{"node", "driver.mjs"}, -1, "node driver.mjs"},
		{"one behind a dash", []string{"node", "--flag"}, 0, "node --flag"},
		{"two", []string{"node", "driver.mjs", "python3", "driver.py"}, 2, "node driver.mjs | python3 driver.py"},
		{"three", []string{"a", "b", "--", "c"}, 1, "a | b | c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, command := range driverCommands(tt.args, tt.dashAt) {
				got = append(got, strings.Join(command, " "))
			}
			if strings.Join(got, " | ") != tt.want {
				t.Errorf("%q are %q", tt.args, got)
			}
		})
	}
}
