//go:build system

package delegate_test

import "testing"

// Agents that are waited for: they read nothing, work for long, or do not write what they say.
func TestSlowTasks(t *testing.T) {
	testTasks(t, map[string]task{
		"deaf":        {answer: "Done by another program.", turns: 2, replays: 1, changed: []string{"created tried"}},
		"slow":        {answer: "The tests pass.", turns: 1},
		"builds":      {answer: "It is built.", turns: 1, changed: []string{"created part0.o", "created part1.o", "created part2.o", "created part3.o", "created part4.o", "created part5.o", "created part6.o", "created part7.o"}},
		"liar":        {answer: "Now I created `missing.txt`.", turns: 2, changed: []string{"created missing.txt"}},
		"liar always": {answer: "I saved the list in `missing.txt`.", turns: 2, missing: []string{"missing.txt"}},
	})
}
