package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/gateway/mcp"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdkapi"
)

func mcpCommand(load loader, environ []string) *cobra.Command {
	var user string
	var roots []string
	var hands hands
	var withComputer bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Give the gateway's tools to one MCP client, over stdin and stdout",
		Long: "Desktop clients start this themselves. It has the settings, plugins and artifacts of the gateway on this machine, which\n" +
			"may run beside it or not. Its log goes to stderr. Clients that speak HTTP need no such program: a running gateway\n" +
			"serves them at " + sdkapi.MCPPath + ". With --computer the client also has the tools of this machine, among them screen_see\n" +
			"and screen_click: see docs/computer.md.",
		Args: cobra.NoArgs,
		RunE: load.run(func(cmd *cobra.Command, c *config, _ []string) error {
			if user == "" && c.Mode == hostedMode {
				return wrongArgument("--user: in hosted mode, say whose tools and artifacts these are")
			}
			folders, err := absolute(roots)
			if err != nil {
				return err
			}
			in, out := cmd.InOrStdin(), cmd.OutOrStdout()
			return assemble(cmd.Context(), c, environ, newLog(cmd.ErrOrStderr(), c), asBeside, func(p parts) error {
				if withComputer {
					machine, err := hands.lend(c, p)
					if err != nil {
						return err
					}
					defer machine.Close()
				}
				defer background.Start(cmd.Context(), p.brought.Run)()
				base := cmp.Or(c.PublicURL, "http://"+c.Listen)
				return mcp.ServeStdio(cmd.Context(), p.server, p.app, closing(in), closing(out), cmp.Or(user, sdkapi.LocalUser), base, folders...)
			})
		}),
	}
	cmd.AddCommand(mcpServersCommand(load), mcpAcceptCommand(load))
	cmd.Flags().StringArrayVar(&roots, "root", nil, "`FOLDER` whose files the client may name, besides those that it shows itself; may be given several times")
	cmd.Flags().BoolVar(&withComputer, "computer", false, "with the tools of this machine: its screen, and the files below --dir")
	hands.add(cmd, "with --computer: ")
	cmd.Flags().StringVar(&user, "user", "", "`ID` of the user on whose behalf the client acts; default: "+sdkapi.LocalUser)
	return cmd
}

// absolute returns the absolute paths of folders, which must exist.
func absolute(folders []string) ([]string, error) {
	var list []string
	var p argumentError
	for _, folder := range folders {
		path, err := filepath.Abs(folder)
		if err == nil {
			_, err = os.Stat(path + "/") // fails for anything but a folder
		}
		p.add(err != nil, "--root: %v", err)
		list = append(list, path)
	}
	return list, p.orNil()
}

// stream is standard input or output. The end of a client closes it.
type stream struct {
	io.Reader
	io.Writer
	io.Closer
}

// closing returns s with its Close, if it has one.
func closing(s any) stream {
	r, _ := s.(io.Reader)
	w, _ := s.(io.Writer)
	c, ok := s.(io.Closer)
	if !ok {
		c = io.NopCloser(nil)
	}
	return stream{r, w, c}
}
