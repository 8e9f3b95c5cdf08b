// Package mcptools has the tools of MCP servers that others run or wrote.
//
//	specs, err := mcptools.Parse(file, os.LookupEnv)
//	servers, err := mcptools.New(mcptools.Config{Specs: specs, Dir: dir}, registry)
//	go servers.Run(ctx)
//	defer servers.Close()
//
// # Words
//
// A server is a program, used by its input and output, or a URL. A spec is what the operator's file
// says of one. A link is the way to a running server, a session a conversation over it. A listing
// is a server's list of its tools, kept on disk, so that a start costs nothing. A pin is the hash
// of a tool as first seen, or as the operator accepted it.
//
// # What a server is trusted with
//
// Nothing. What it says of its own tools, as that they only read, is not believed. A tool that has
// changed is refused, and its new description reaches no model, until the operator accepts it. Each
// message, answer and wait has a limit, and a server that breaks one ends, with its own calls
// alone.
package mcptools
