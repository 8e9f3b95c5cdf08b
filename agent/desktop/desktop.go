// Package desktop holds the tools that run on a user's machine, and prepares their calls:
// a target named by its words, or described, becomes a point of the latest screenshot.
//
//	sessions := session.New(session.Config{Prepare: desktop.Prepare(find), ...})
//	settings.Tools = desktop.Narrow(desktop.Tools(), []desktop.Method{desktop.Manual})
//
// A file in tools describes one tool. A method is a way to name a place; sessions may lack some.
package desktop

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/windieos/windie/agent/session"
)

//go:embed tools/*.json
var files embed.FS

// Tools returns the tools, sorted by name.
func Tools() []session.ClientTool { return tools }

var tools = mustRead()

// mustRead reads the embedded files.
func mustRead() []session.ClientTool {
	entries, err := fs.ReadDir(files, "tools") // sorted
	if err != nil {
		panic(err)
	}
	list := make([]session.ClientTool, len(entries))
	for i, entry := range entries {
		data, err := files.ReadFile(path.Join("tools", entry.Name()))
		if err == nil {
			err = json.Unmarshal(data, &list[i])
		}
		if err != nil {
			panic(fmt.Errorf("%s: %w", entry.Name(), err))
		}
		list[i].Name = strings.TrimSuffix(entry.Name(), ".json")
	}
	return list
}
