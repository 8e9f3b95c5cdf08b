package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// consoleLink is the output of `windie console`.
type consoleLink struct {
	URL string `json:"url"`
}

// consoleCommand returns `windie console`. It checks that the gateway responds before it opens the
// database, because opening creates a missing database.
func consoleCommand(load loader) *cobra.Command {
	var at string
	var opens, asJSON bool
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Print a link to the console",
		Long: "For a local gateway, the link signs you in. It can be used once, within ten minutes. Run the command\n" +
			"with the gateway's WINDIE_DATA_DIR. After signing in, you can approve and deny calls. For a hosted\n" +
			"gateway, the command prints the address of the console. Sign in there with a user's access token or\n" +
			"the operator's token.",
		Example: "  windie console\n  windie console --open\n  windie console --at http://127.0.0.1:8765",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&at, "at", "", "`URL` of the gateway (default from the settings)")
	cmd.Flags().BoolVar(&opens, "open", false, "open the link in this desktop's browser; meanwhile, other users of this machine can see the link in the process list")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	signIn := load.withDatabase(func(cmd *cobra.Command, c *config, db *database.DB, _ []string) error {
		link, err := c.consoleLink(cmd.Context(), identity.Open(db), at)
		if err != nil {
			return err
		}
		if opens {
			return openBrowser(cmd.Context(), link)
		}
		if asJSON {
			return plain.JSON(cmd.OutOrStdout(), consoleLink{link})
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), link)
		return err
	})
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, args []string) error {
		if err := c.checkConsole(cmd.Context(), at); err != nil {
			return err
		}
		return signIn(cmd, args)
	})
	return cmd
}

// checkConsole fails if a gateway responds neither at the URL nor at the address of the settings, or
// if the data folder has no database. It does not create the database.
func (c *config) checkConsole(ctx context.Context, at string) error {
	base, err := c.consoleAt(at)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if _, err := askHealth(ctx, base.JoinPath(sdkapi.HealthPath).String()); err != nil {
		if _, other := c.askRunning(ctx); other != nil {
			return fmt.Errorf("%w; start one with `windie serve`, or set --at to the URL of a running gateway", err)
		}
	}
	file := c.databaseConfig().File
	if _, err := os.Stat(file); c.DatabaseURL == "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the gateway at %s uses another data folder: the file %s does not exist; choose the gateway's folder with --data-dir or WINDIE_DATA_DIR", base.Redacted(), file)
	}
	return nil
}

// consoleAt returns a gateway's URL. An empty at means the gateway of the settings.
func (c *config) consoleAt(at string) (*url.URL, error) {
	if at == "" {
		at = c.consoleBase()
	}
	base, err := url.Parse(at)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, wrongArgument("--at: %q is not the URL of a gateway, as http://127.0.0.1:8765", at)
	}
	return base, nil
}

// consoleLink returns the console's address for the gateway at a URL; empty means the gateway of
// the settings. For a local gateway the link has a code that signs a browser in.
func (c *config) consoleLink(ctx context.Context, ids *identity.Identity, at string) (string, error) {
	base, err := c.consoleAt(at)
	if err != nil {
		return "", err
	}
	link := base.JoinPath("console/").String()
	if c.Mode == hostedMode {
		return link, nil
	}
	code, err := ids.MakeCode(ctx)
	return link + "#code=" + code, err
}

// consoleBase returns the URL at which this machine reaches the gateway of the settings.
func (c *config) consoleBase() string {
	if c.PublicURL != "" {
		return c.PublicURL
	}
	host, port, _ := net.SplitHostPort(c.Listen) // checked before
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + c.PathPrefix
}

// openBrowser opens a link on the desktop.
func openBrowser(ctx context.Context, link string) error {
	name, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	if err := exec.CommandContext(ctx, name, args...).Run(); err != nil {
		return fmt.Errorf("%s could not open a browser: %w; run `windie console` and open the link that it prints", name, err)
	}
	return nil
}
