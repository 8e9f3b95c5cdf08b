package files

import (
	"context"

	"github.com/windieos/windie/agent"
)

// tag is the heading of the tools in lists.
const tag = "computer"

// Tools returns the tools that the rules allow.
func (f *Folder) Tools() []agent.Tool {
	tools := []agent.Tool{
		tool("file.list", agent.Safe, "List a folder of the working folder on the user's machine: names, sizes in bytes, folders with a slash at the end.", f.list),
		tool("file.read", agent.Safe, "Read a text file of the working folder on the user's machine, or a part of it by lines.", f.read),
		tool("file.stat", agent.Safe, "Say what a path of the working folder is: its kind, size, time and, if asked for, its SHA-256.", f.stat),
		tool("file.find", agent.Safe, "Find files of the working folder by a pattern for their paths, such as **/*.go.", f.find),
		tool("file.grep", agent.Safe, "Search the text files of the working folder for lines that match a regular expression.", f.grep),
	}
	if f.rules.ReadOnly {
		return tools
	}
	tools = append(tools,
		tool("file.write", agent.Risky, "Write a text file of the working folder on the user's machine, whole. Folders on the way are made. The file appears whole or not at all.", f.write),
		tool("file.write_chunk", agent.Risky, "Write a large file of the working folder in pieces, one call each, in order. The file appears when all of it has come and its SHA-256 is right.", f.writeChunk),
		tool("file.edit", agent.Risky, "Change a text file of the working folder: a text that it has exactly once is replaced by another.", f.edit),
		tool("file.mkdir", agent.Risky, "Make a folder in the working folder, with those on the way.", f.mkdir),
		tool("file.move", agent.Risky, "Move or rename a file or a folder within the working folder.", f.move),
	)
	if f.rules.Remove {
		tools = append(tools, tool("file.remove", agent.Risky, "Remove a file, or an empty folder, of the working folder.", f.remove))
	}
	return tools
}

// tool returns a tool of a method.
func tool[In, Out any](name string, risk agent.Risk, description string, work func(context.Context, agent.Call, In) (Out, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: name, Tag: tag, Risk: risk, Description: description}, work)
}
