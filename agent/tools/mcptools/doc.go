// Package mcptools has the tools of MCP servers. Other people wrote or operate these servers.
//
//	specs, err := mcptools.Parse(file, os.LookupEnv)
//	servers, err := mcptools.New(mcptools.Config{Specs: specs, Dir: dir}, registry)
//	go servers.Run(ctx)
//	defer servers.Close()
//
// # Words
//
// A server is a program, used through its input and output, or a URL. A spec is the operator's
// description of a server in the file. A link connects to a running server. A session is a
// conversation over a link. A listing is a server's list of its tools. It is stored on disk, so
// that the gateway need not ask the server at each start. A pin is the hash of a tool that the
// gateway has seen first, or that the operator has accepted.
//
// # Trust
//
// Servers are not trusted. The gateway ignores their claims about their tools, for example that a
// tool only reads. If a tool has changed, the gateway refuses it until the operator accepts the
// change, and no model sees the new description. Each message, answer and wait has a limit. The
// gateway ends a server that exceeds a limit. Only the calls of this server then fail.
package mcptools
