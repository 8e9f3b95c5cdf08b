// Package desktop has the tools that run on a user's machine, and prepares their calls: it converts
// the words or the description of a target to a point on the latest screenshot.
//
//	sessions := session.New(session.Config{Prepare: desktop.Prepare(find), ...})
//	settings.Tools = desktop.Narrow(desktop.Tools(), []desktop.Method{desktop.Manual})
//
// Each file in the folder tools describes one tool. A method is a way to specify a place; a session
// may allow only some of them.
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

// Tools returns the desktop tools, sorted by name. The caller must not change them.
func Tools() []session.ClientTool { return tools }

var tools = mustRead()

// mustRead reads the embedded files. It panics if one is invalid.
func mustRead() []session.ClientTool {
	entries, err := fs.ReadDir(files, "tools") // sorted by name
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
