package main

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/sdkapi"
)

func mcpCommand(load loader, environ []string) *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Give the gateway's tools to one MCP client, over stdin and stdout",
		Long: "Desktop clients start this themselves. It has the settings, plugins and artifacts of the gateway on this machine, which\n" +
			"may run beside it or not. Its log goes to stderr. Clients that speak HTTP need no such program: a running gateway\n" +
			"serves them at " + sdkapi.MCPPath + ".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			if user == "" && c.Mode == hostedMode {
				return &configError{[]string{"--user: in hosted mode, say whose tools and artifacts these are"}}
			}
			in, out := cmd.InOrStdin(), cmd.OutOrStdout()
			return assemble(cmd.Context(), c, environ, newLog(cmd.ErrOrStderr(), c), true, func(p parts) error {
				defer background(cmd.Context(), p.brought.Run)()
				base := cmp.Or(c.PublicURL, "http://"+c.Listen)
				return p.server.ServeMCP(cmd.Context(), closing(in), closing(out), cmp.Or(user, sdkapi.LocalUser), base)
			})
		},
	}
	cmd.AddCommand(mcpServersCommand(load), mcpAcceptCommand(load))
	cmd.Flags().StringVar(&user, "user", "", "`ID` of the user on whose behalf the client acts; default: "+sdkapi.LocalUser)
	return cmd
}

// stream is standard input or output, which a client's end closes.
type stream struct {
	io.Reader
	io.Writer
	io.Closer
}

// closing returns what can be closed of a stream, as a process's own can be.
func closing(s any) stream {
	r, _ := s.(io.Reader)
	w, _ := s.(io.Writer)
	c, ok := s.(io.Closer)
	if !ok {
		c = io.NopCloser(nil)
	}
	return stream{r, w, c}
}
