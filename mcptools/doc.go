// Package mcptools has the tools of MCP servers that others run or wrote.
//
//	specs, err := mcptools.Parse(file, os.LookupEnv)
//	servers, err := mcptools.New(mcptools.Config{Specs: specs, Dir: dir}, registry)
//	go servers.Run(ctx)
//	defer servers.Close()
//
// # Words
//
// A server is a program that is spoken to by its input and output, or a URL. A
// spec is what the operator's file says of one. A link is the way to a server
// that runs, and a session a conversation over it. A listing is what a server
// said its tools are; it is kept on disk, so that a start costs nothing. A pin
// is the hash of a tool as it was first seen, or as the operator accepted it.
//
// # What a server is trusted with
//
// Nothing. What it says of its own tools, that they only read for one, is not
// believed. A tool that is not what it was is refused until the operator
// accepts it, and its new description reaches no model until then. Each
// message, answer and wait has a limit, and a server that breaks one of them
// ends, with the calls it had, and with nothing else.
package mcptools
