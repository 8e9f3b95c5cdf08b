package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
)

// trust reads the signature policy. The file may be missing.
func (c *config) trust() (sign.Policy, error) {
	policy, err := sign.ReadPolicy(c.pluginTrust())
	if errors.Is(err, fs.ErrNotExist) {
		return sign.Policy{}, nil
	}
	return policy, err
}

// fetcher returns a fetcher of plugins. The caller closes it.
func (c *config) fetcher() (*source.Fetcher, error) {
	logins, err := source.Logins()
	if err != nil {
		return nil, err
	}
	return source.New(source.Config{Private: c.Plugins.PrivateHosts, Logins: logins}), nil
}

// bench holds the parts that the plugin commands use.
type bench struct {
	*shelf.Shelf
	*source.Fetcher
	c        *config
	workshop *author.Workshop
	policy   sign.Policy
}

// onShelf returns a RunE that opens the shelf of the settings and calls work.
func onShelf(load loader, environ []string, work func(cmd *cobra.Command, b *bench, args []string) error) func(*cobra.Command, []string) error {
	return load.run(func(cmd *cobra.Command, c *config, args []string) error {
		b, err := openBench(cmd.Context(), c, environ, newLog(cmd.ErrOrStderr(), c))
		if err != nil {
			return plain.Explain(err)
		}
		defer b.close()
		return plain.Explain(work(cmd, b, args))
	})
}

// openBench opens the parts for the plugin commands. It creates the missing file of grants in a
// shared folder. The caller closes the bench.
func openBench(ctx context.Context, c *config, environ []string, log *slog.Logger) (*bench, error) {
	policy, err := c.trust()
	if err != nil {
		return nil, err
	}
	folder, err := c.beginPluginFolder()
	if err != nil {
		return nil, err
	}
	fetcher, err := c.fetcher()
	if err != nil {
		return nil, err
	}
	_, tools, err := newTools(ctx, c, nil, new(state), nil)
	if err != nil {
		fetcher.Close()
		return nil, err
	}
	workshop := author.NewWorkshop(c.pluginHost(log), storesOf)
	return &bench{shelf.New(shelf.Config{
		Dir: folder.Dir, Grants: folder.Grants, Fetcher: fetcher, Policy: policy, Workshop: workshop,
		Check:  func(name string, _ []author.ToolSeen) error { return notBuiltIn(tools, name) },
		Forget: func(identity string) error { return c.forgetValues(ctx, identity) },
		Cosign: author.FindProgram(environ, "cosign"), Environ: environ,
	}), fetcher, c, workshop, policy}, nil
}

// close closes the fetcher and the workshop. The shelf has nothing to close.
func (b *bench) close() {
	b.Close()
	b.workshop.Close()
}

// notBuiltIn refuses the names of the gateway's own tools.
func notBuiltIn(tools *agent.Registry, name string) error {
	list, _ := tools.List()
	for _, d := range list {
		if group, _, _ := strings.Cut(d.Name, "."); group == name || name == "memory" {
			return fmt.Errorf("the name %q belongs to built-in tools; choose another name with --as", name)
		}
	}
	return nil
}

// forgetValues deletes the stored values of a plugin. If no gateway has run yet, there are none.
func (c *config) forgetValues(ctx context.Context, identity string) error {
	in, err := database.Inspect(ctx, c.databaseConfig())
	if err != nil || !in.Exists {
		return err
	}
	db, err := openDatabase(ctx, c)
	if err != nil {
		return err
	}
	return errors.Join(values.Open(db).Forget(identity), db.Close())
}

// pluginCommand returns `windie plugin`, which only groups its subcommands.
func pluginCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Install, update, publish and sign plugins",
		Long: "A plugin comes from a registry, with the reference oci://REGISTRY/NAME:TAG, or from a file. The\n" +
			"file plugins.lock.json, beside the plugins folder, pins each plugin to a digest. A running gateway\n" +
			"applies changes to this file. See docs/plugins.md#installing-plugins.",
		Example: "  windie plugin add oci://registry.example/words:1.2.0\n  windie plugin list",
	}
	cmd.AddCommand(
		pluginAddCommand(load, environ),
		pluginUpdateCommand(load, environ),
		pluginRollbackCommand(load, environ),
		pluginRestoreCommand(load, environ),
		pluginRemoveCommand(load, environ),
		pluginListCommand(load, environ),
		pluginInspectCommand(load, environ),
		pluginPackCommand(load, environ),
		pluginPushCommand(load, environ),
		pluginKeyCommand(environ),
	)
	return cmd
}

// consent says what a command may do without asking.
type consent struct {
	yes    bool // accept changes
	accept bool // accept more permissions than before, or an older version
}

// flags adds --yes and --accept to cmd.
func (a *consent) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.yes, "yes", false, "apply changes without asking; required if there is no terminal")
	cmd.Flags().BoolVar(&a.accept, "accept", false, "accept a version that is older or requests more permissions; --yes alone does not accept it")
}

// given reports whether a change may be made. It asks if there is a terminal.
func (a consent) given(cmd *cobra.Command, change *shelf.Change) (bool, error) {
	ask := asker(cmd)
	if !a.yes && ask == nil {
		return false, &usageError{cmd, fmt.Errorf("changing the plugin %s requires your consent, and windie needs a terminal to ask for it; without a terminal, add --yes", change.Name)}
	}
	if len(change.Grew) > 0 && !a.accept && ask == nil {
		return false, fmt.Errorf("this version of %s requests more permissions than the previous version (see the list above), and --yes does not accept new permissions: add --accept if you agree", change.Name)
	}
	if !a.yes && !ask("Take this version of "+change.Name+"?") {
		return false, nil
	}
	return len(change.Grew) == 0 || a.accept || ask("It asks for more than before, as listed under \"needs your consent\". Take it all the same?"), nil
}

// asker returns a function that asks a question in a terminal, or nil if there is none.
func asker(cmd *cobra.Command) func(question string) bool {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !isatty.IsTerminal(in.Fd()) {
		return nil
	}
	lines := bufio.NewReader(in)
	return func(question string) bool {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
		line, _ := lines.ReadString('\n') // unreadable input counts as no
		return isYes(strings.TrimSpace(line))
	}
}

// pluginAddCommand returns `windie plugin add`. It asks for consent only if the plugin is installed
// already and would change.
func pluginAddCommand(load loader, environ []string) *cobra.Command {
	var r shelf.Request
	var a consent
	cmd := &cobra.Command{
		Use:   "add REFERENCE",
		Short: "Install a plugin from a registry or a file, and pin its digest",
		Long: "REFERENCE is oci://REGISTRY/NAME:TAG, oci://REGISTRY/NAME@DIGEST, or a file on this machine\n" +
			"(.wasm, .js or .tar). The command opens the plugin as a gateway would. It prints the plugin's\n" +
			"tools and requested permissions, and grants no permission. The command uses the stored\n" +
			"logins of Docker and Podman: config.json in DOCKER_CONFIG or ~/.docker.",
		Example: "  windie plugin add oci://registry.example/words:1.2.0\n  windie plugin add words-1.2.0.tar",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&r.As, "as", "", "install the plugin as `NAME`; use this if another plugin already has the same name")
	cmd.Flags().StringVar(&r.Key, "key", "", "the author's public `KEY`, which the plugin's signature must match")
	a.flags(cmd)
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		r.Reference = args[0]
		return b.take(cmd, r, a)
	})
	return cmd
}

// take plans a change, shows it, and applies it if the user agrees.
func (b *bench) take(cmd *cobra.Command, r shelf.Request, a consent) error {
	ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "fetching "+plain.Text(r.Reference))
	change, err := b.Plan(ctx, r)
	shown()
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if err := printChange(out, change); err != nil {
		return err
	}
	if change.Before != nil && !change.Nothing() {
		agreed, err := a.given(cmd, change)
		if err != nil {
			return err
		}
		if !agreed {
			fmt.Fprintf(out, "%s stays as it is\n", change.Name)
			return silentError(exitFailed)
		}
	}
	if err := b.Apply(cmd.Context(), change); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is in %s, pinned to %s\n", change.Name, b.c.pluginDir(), change.After.Digest)
	return nil
}

// printChange shows a new plugin, or the differences of an update.
func printChange(w io.Writer, c *shelf.Change) error {
	fmt.Fprintf(w, "%s from %s\n", c.Name, plain.Text(c.Reference))
	fmt.Fprintln(w, plain.Text(signedBy(c.Signed)))
	switch {
	case c.Nothing():
		fmt.Fprintln(w, "nothing changed since it was added")
		return nil
	case c.Before == nil:
		return c.Inspection.Print(w)
	}
	for _, line := range c.Differs {
		fmt.Fprintln(w, "  changes           ", plain.Text(line))
	}
	for _, line := range c.Grew {
		fmt.Fprintln(w, "  needs your consent", plain.Text(line))
	}
	return nil
}

// signedBy describes the signer of a plugin.
func signedBy(v sign.Verdict) string {
	switch {
	case v.Ignored:
		return "signatures are not looked at, as its policy is off"
	case v.Key == "":
		return "nobody signed it"
	case v.First:
		return "signed by the key " + v.Key + ", which is seen for the first time: from now on only that key is taken. Compare it with the one that the author publishes"
	}
	return "signed by the key " + v.Key + ", which is trusted for it"
}

// pluginUpdateCommand returns `windie plugin update`. It fails before any update if a NAME is
// unknown. Otherwise a failed update does not stop the others.
func pluginUpdateCommand(load loader, environ []string) *cobra.Command {
	var a consent
	var key string
	cmd := &cobra.Command{
		Use:   "update [NAME...]",
		Short: "Update plugins to the versions that their references now point to",
		Long: "The command shows the changes (digest, version, tools, schemas, permissions) and asks for\n" +
			"confirmation. A version that requests more permissions needs a second confirmation. Without NAME,\n" +
			"the command checks all plugins installed with `windie plugin add`. A plugin whose reference has a\n" +
			"digest does not change. If a registry has a newer version under another tag, the command prints\n" +
			"how to install it.",
		Example: "  windie plugin update\n  windie plugin update words --yes",
	}
	a.flags(cmd)
	cmd.Flags().StringVar(&key, "key", "", "public `KEY` of the plugin's signer (default: the signer of the installed version)")
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		list, err := b.List()
		if err != nil {
			return err
		}
		for _, name := range args {
			if _, err := b.Get(name); err != nil {
				return err
			}
		}
		var failed error
		for _, p := range list {
			if len(args) == 0 || slices.Contains(args, p.Name) {
				failed = errors.Join(failed, b.updateOne(cmd, p, key, a))
			}
		}
		return failed
	})
	return cmd
}

// updateOne updates one plugin, unless its reference is pinned to a digest. It then prints a newer
// version if there is one.
func (b *bench) updateOne(cmd *cobra.Command, p shelf.Status, key string, a consent) error {
	ref, err := source.Parse(p.Reference)
	if err != nil {
		return err
	}
	if ref.Digest != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "%s stays: its reference is pinned to a digest\n", p.Name)
	} else if err := b.take(cmd, shelf.Request{Reference: p.Reference, As: p.Name, Key: key}, a); err != nil {
		return err
	}
	b.sayNewer(cmd, p.Name)
	return nil
}

// sayNewer prints the newest version in the registry if updates do not follow its tag. If the
// registry does not list its tags, sayNewer prints a remark and does not fail, because the reference
// itself was checked.
func (b *bench) sayNewer(cmd *cobra.Command, name string) {
	tag, reference, err := b.Newer(cmd.Context(), name)
	switch {
	case err != nil:
		fmt.Fprintf(cmd.OutOrStdout(), "cannot check for newer versions of %s: %s\n", name, plain.Text(plain.Explain(err).Error()))
	case tag != "":
		fmt.Fprintf(cmd.OutOrStdout(), "%s is there too; take it with: windie plugin add %s --as %s\n", tag, reference, name)
	}
}

// pluginRollbackCommand returns `windie plugin rollback`. It asks for no consent, because the
// earlier version was accepted.
func pluginRollbackCommand(load loader, environ []string) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "rollback NAME",
		Short: "Return to a plugin's previous version, without a network",
		Long: "The file plugin-trust.json must allow the version, as for windie plugin add. If that file\n" +
			"requires a cosign signature, the command connects to the registry.",
		Example: "  windie plugin rollback words",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&key, "key", "", "public `KEY` of the plugin's signer (default: the signer of the current version)")
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		back, err := b.Rollback(cmd.Context(), args[0], key)
		if err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "%s is the version %s again, %s\n", args[0], plain.Text(cmp.Or(back.Version, "without a number")), back.Digest)
		}
		return err
	})
	return cmd
}

// pluginRestoreCommand returns `windie plugin restore`. It asks for no consent, because the version
// stays the same.
func pluginRestoreCommand(load loader, environ []string) *cobra.Command {
	return &cobra.Command{
		Use:   "restore NAME",
		Short: "Restore a plugin's files from the stored copy of the installed version",
		Long: "Use this if a plugin's files were edited or deleted: `windie plugin list` shows such\n" +
			"plugins. The version does not change. The current plugin-trust.json must allow this version.",
		Example: "  windie plugin restore words",
		Args:    cobra.ExactArgs(1),
		RunE: onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
			back, err := b.Restore(cmd.Context(), args[0])
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s is as it was added, pinned to %s\n", args[0], back.Digest)
			}
			return err
		}),
	}
}

// pluginRemoveCommand returns `windie plugin remove`. If it cannot delete the stored data, it
// prints a warning and the exit code is 0.
func pluginRemoveCommand(load loader, environ []string) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a plugin with its versions, its grant and its stored data",
		Example: "  windie plugin remove words",
		Args:    cobra.ExactArgs(1),
		RunE: onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
			stored, err := b.Remove(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is removed\n", args[0])
			if stored != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "windie: what it stored is still there, for a plugin from the same source alone: %s\n", plain.Text(stored.Error()))
			}
			return nil
		}),
	}
}

// pluginRows is the list of plugins in plugins.lock.json.
type pluginRows struct {
	Plugins []shelf.Status `json:"plugins"`
}

// print prints a table of the plugins, with the problem of a plugin below its row. Digests are cut
// to 19 characters.
func (p pluginRows) print(w io.Writer) error {
	if len(p.Plugins) == 0 {
		_, err := fmt.Fprintln(w, "no plugin was added from a reference; add one with: windie plugin add")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "name\tversion\tdigest\tfrom\tsigned by")
	for _, e := range p.Plugins {
		fmt.Fprintf(table, "%s\t%s\t%.19s\t%s\t%s\n", e.Name, plain.Text(cmp.Or(e.Current.Version, "-")), e.Current.Digest, plain.Text(e.Reference), cmp.Or(e.Current.Key, "nobody"))
		if e.Problem != "" {
			fmt.Fprintf(table, "\t%s\n", plain.Text(e.Problem))
		}
	}
	return table.Flush()
}

// pluginListCommand returns `windie plugin list`. Plugins that were copied into the folder by hand
// are not in the list.
func pluginListCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the plugins installed with `windie plugin add`",
		Example: "  windie plugin list\n  windie plugin list --json",
		Args:    cobra.NoArgs,
	}
	answer := printed(cmd)
	cmd.RunE = onShelf(load, environ, func(_ *cobra.Command, b *bench, _ []string) error {
		list, err := b.List()
		if err != nil {
			return err
		}
		return answer(pluginRows{list})
	})
	return cmd
}
