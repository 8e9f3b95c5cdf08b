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

// mcpCommand returns `windie mcp`. It runs beside a gateway on the same data folder. Its standard
// output belongs to the protocol.
func mcpCommand(load loader, environ []string) *cobra.Command {
	var user string
	var roots []string
	var hands hands
	var withComputer bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the gateway's tools to one MCP client over stdin and stdout",
		Long: "Desktop clients start this command themselves. It uses the settings, plugins and artifacts of this\n" +
			"machine's gateway, whether or not that gateway runs. It writes its log to stderr. A client that\n" +
			"speaks HTTP does not need this command: a running gateway serves MCP at " + sdkapi.MCPPath + ". With\n" +
			"--computer, the client also gets the tools of this machine, such as screen_see and screen_click.\n" +
			"See docs/computer.md.",
		Example: "  windie mcp\n  windie mcp --computer --program git",
		Args:    cobra.NoArgs,
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
	cmd.Flags().StringArrayVar(&roots, "root", nil, "additional `FOLDER` from which the client may send files by path; can be repeated")
	cmd.Flags().BoolVar(&withComputer, "computer", false, "also offer the tools of this machine: its screen and the files below --dir")
	hands.add(cmd, "with --computer: ")
	cmd.Flags().StringVar(&user, "user", "", "`ID` of the user that the client acts for (default "+sdkapi.LocalUser+")")
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

// stream is standard input or output. The end of the connection to the client closes it.
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
