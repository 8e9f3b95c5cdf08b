package mcptools

import (
	"regexp"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/hashid"
)

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// clean makes a name of lower case letters, digits and _ of any text. It is
// empty if there is none in it.
func clean(text string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "_"), "_")
}

// groupOf returns what the names of a server's tools begin with, empty if its
// own gives nothing for that.
func groupOf(server string) string {
	name := clean(server)
	if name == "" || len(name) > maxGroupLen || name[0] < 'a' {
		return ""
	}
	return name
}

// hashInName is how many digits of a hash stand for the end of a name that was
// cut.
const hashInName = 8

// toolName returns the name that a server's tool is registered under, empty if
// its own gives nothing for that.
func toolName(group, own string) string {
	verb := clean(own)
	switch {
	case verb == "":
		return ""
	case verb[0] < 'a':
		verb = "t_" + verb
	}
	name := group + "." + verb
	if len(name) > agent.MaxNameLen {
		name = name[:agent.MaxNameLen-hashInName-1] + "_" + hashid.Of(own, hashInName/2)
	}
	return name
}
