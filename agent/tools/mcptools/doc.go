// Package mcptools has the tools of MCP servers, which others operate or wrote.
//
//	specs, err := mcptools.Parse(file, os.LookupEnv)
//	servers, err := mcptools.New(mcptools.Config{Specs: specs, Dir: dir}, registry)
//	go servers.Run(ctx)
//	defer servers.Close()
//
// # Words
//
// A server is a program, used through its input and output, or a URL. A spec is the operator's
// description of a server in the file. A link connects to a running server; a session is a
// conversation over it. A listing is a server's list of its tools, stored on disk, so that a start
// of the gateway need not ask. A pin is the hash of a tool as first seen, or as the operator
// accepted it.
//
// # Trust
//
// Servers are not trusted. Their claims about their tools, such as that they only read, are
// ignored. A tool that has changed is refused, and its new description reaches no model, until the
// operator accepts it. Each message, answer and wait has a limit. A server that exceeds one is
// ended, which fails only its own calls.
package mcptools
