package files

import (
	"context"

	"github.com/windieos/windie/agent"
)

// tag is the tag of the tools in lists.
const tag = "computer"

// Tools returns the tools that the rules allow.
func (f *Folder) Tools() []agent.Tool {
	tools := []agent.Tool{
		tool("file.list", agent.Safe, "List a folder on the user's machine: names and sizes in bytes. Folder names end with a slash.", f.list),
		tool("file.read", agent.Safe, "Read a text file on the user's machine, or some of its lines.", f.read),
		tool("file.stat", agent.Safe, "Get kind, size, time and, on request, SHA-256 of a path on the user's machine.", f.stat),
		tool("file.find", agent.Safe, "Find files on the user's machine by a path pattern, such as **/*.go.", f.find),
		tool("file.grep", agent.Safe, "Search text files on the user's machine for lines that match a regular expression.", f.grep),
	}
	if f.rules.ReadOnly {
		return tools
	}
	tools = append(tools,
		tool("file.write", agent.Risky, "Write a whole text file on the user's machine, atomically. Missing folders are created. To change a part, use file.edit.", f.write),
		tool("file.write_chunk", agent.Risky, "Write a large file on the user's machine in pieces: one call for each, in order. The file appears when it is complete and its SHA-256 is right.", f.writeChunk),
		tool("file.edit", agent.Risky, "Replace text in a file on the user's machine. The file must contain the old text exactly once.", f.edit),
		tool("file.mkdir", agent.Risky, "Create a folder on the user's machine, with its parents.", f.mkdir),
		tool("file.move", agent.Risky, "Move or rename a file or folder in the working folder.", f.move),
	)
	if f.rules.Remove {
		tools = append(tools, tool("file.remove", agent.Risky, "Remove a file, or an empty folder, of the working folder.", f.remove))
	}
	return tools
}

// tool returns a tool that calls a method.
func tool[In, Out any](name string, risk agent.Risk, description string, work func(context.Context, agent.Call, In) (Out, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: name, Tag: tag, Risk: risk, Description: description}, work)
}
