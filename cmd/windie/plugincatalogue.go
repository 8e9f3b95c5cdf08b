package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/catalogue"
	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
)

// catalogue fetches the catalogue of the settings, and notes which it was.
func (b *bench) catalogue(ctx context.Context) (*catalogue.Index, error) {
	at := b.c.Plugins.Catalogue
	if at == "" {
		return nil, errors.New("no catalogue is set; put the URL of its index.json into WINDIE_PLUGIN_CATALOGUE, and its key into WINDIE_PLUGIN_CATALOGUE_KEY")
	}
	raw, err := b.Fetcher.Get(ctx, at, catalogue.MaxIndexBytes)
	if err == nil {
		var signature []byte
		if signature, err = b.Fetcher.Get(ctx, at+catalogue.SignatureEnding, source.MaxSignatureBytes); err == nil {
			return b.open(ctx, at, raw, signature)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no catalogue at %s, or no signature beside it: %w; check WINDIE_PLUGIN_CATALOGUE", at, err)
	}
	return nil, err
}

// open reads an index, unless a newer one was seen.
func (b *bench) open(ctx context.Context, at string, raw, signature []byte) (*catalogue.Index, error) {
	index, err := catalogue.Open(raw, signature, b.c.Plugins.CatalogueKey, time.Now())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	return index, b.Accept(ctx, at, shelf.Seen{Serial: index.Serial, SHA256: hex.EncodeToString(sum[:])})
}

// beside returns the reference of a version: one without a scheme is beside the index.
func beside(index, at string) string {
	if strings.Contains(at, "://") {
		return at
	}
	if u, err := url.Parse(index); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		u.Path = path.Join(path.Dir(u.Path), path.Clean("/"+at))
		return u.String()
	}
	return filepath.Join(filepath.Dir(index), filepath.FromSlash(path.Clean("/"+at)))
}

// install adds a plugin of the catalogue, or another version of one. The request has its name there, and
// may have its number, the key that the catalogue must have for it, and what it is called here.
func (b *bench) install(cmd *cobra.Command, r shelf.Request, a consent) error {
	index, err := b.catalogue(cmd.Context())
	if err != nil {
		return err
	}
	choice, err := index.Choose(r.Catalogue, r.Version, version)
	if err != nil {
		return err
	}
	if err := sameKey(r, choice.Plugin.Key); err != nil {
		return err
	}
	at := b.c.Plugins.Catalogue
	ref, err := source.Parse(beside(at, choice.Version.At))
	if err != nil {
		return err
	}
	r.Reference, r.Source = ref.At(choice.Version.Digest).String(), "catalogue:"+at+"#"+r.Catalogue
	r.Key, r.Version = choice.Plugin.Key, choice.Number
	return b.take(cmd, r, a)
}

// sameKey refuses a request for a key that is not the one of the catalogue.
func sameKey(r shelf.Request, key string) error {
	if r.Key == "" {
		return nil
	}
	want, err := sign.ParsePublic(r.Key)
	if err != nil {
		return err
	}
	if has, err := sign.ParsePublic(key); err != nil || !has.Equal(want) {
		return fmt.Errorf("the catalogue says that %s is signed by %s, and %s was asked for; ask whoever publishes the catalogue, or leave --key out to take the catalogue's", r.Catalogue, cmp.Or(key, "nobody"), strings.TrimSpace(r.Key))
	}
	return nil
}

func pluginInstallCommand(load loader, environ []string) *cobra.Command {
	var a consent
	var r shelf.Request
	cmd := &cobra.Command{
		Use:   "install NAME[@VERSION]",
		Short: "Add a plugin of the catalogue",
		Long: "Takes the newest version that is not taken back and that this gateway can serve, or the one that is named. Its digest and its key\n" +
			"are those of the catalogue. windie plugin update follows the catalogue then.",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&r.As, "as", "", "call it `NAME` here, where another plugin has its name")
	a.flags(cmd)
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		r.Catalogue, r.Version, _ = strings.Cut(args[0], "@")
		return b.install(cmd, r, a)
	})
	return cmd
}

// catalogueRow is a plugin of a catalogue.
type catalogueRow struct {
	Name        string `json:"name"`
	Newest      string `json:"newest"`
	Description string `json:"description,omitempty"`
}

type catalogueRows struct {
	Serial  int64          `json:"serial"`
	Plugins []catalogueRow `json:"plugins"`
}

func (r catalogueRows) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range r.Plugins {
		fmt.Fprintf(table, "%s\t%s\t%s\n", plain.Text(p.Name), plain.Text(p.Newest), plain.Text(p.Description))
	}
	return table.Flush()
}

func pluginSearchCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search [WORD...]",
		Short: "List the plugins of the catalogue that have all words",
		Long:  "Words are looked for in names, descriptions and the names of tools. It exits with 1 if there is no such plugin.",
	}
	answer := printed(cmd)
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		index, err := b.catalogue(cmd.Context())
		if err != nil {
			return err
		}
		rows := catalogueRows{Serial: index.Serial, Plugins: []catalogueRow{}}
		for _, name := range index.Search(args...) {
			p := index.Plugins[name]
			newest := "no version for this gateway"
			if choice, err := index.Choose(name, "", version); err == nil {
				newest = choice.Number
			}
			rows.Plugins = append(rows.Plugins, catalogueRow{name, newest, p.Description})
		}
		if err := answer(rows); err != nil || len(rows.Plugins) > 0 {
			return err
		}
		return silentError(exitFailed)
	})
	return cmd
}

// catalogued is a plugin of a catalogue with all that it says.
type catalogued struct {
	Name string `json:"name"`
	*catalogue.Plugin
}

func (c catalogued) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "name\t%s\n", plain.Text(c.Name))
	fmt.Fprintf(table, "is\t%s\n", plain.Text(c.Description))
	fmt.Fprintf(table, "signed by\t%s\n", plain.Text(cmp.Or(c.Key, "nobody")))
	for _, number := range c.Numbers() {
		v := c.Versions[number]
		note := ""
		if v.Yanked != "" {
			note = ", taken back: " + v.Yanked
		}
		if v.MinGateway != "" {
			note += ", for a gateway of " + v.MinGateway
		}
		fmt.Fprintf(table, "version\t%s\n", plain.Text(number+note))
		fmt.Fprintf(table, "\t%s\n", plain.Text(v.Digest))
		fmt.Fprintf(table, "\ttools %s\n", plain.Text(strings.Join(v.Tools, ", ")))
		if len(v.Permissions) > 0 && string(v.Permissions) != "{}" {
			fmt.Fprintf(table, "\tasks for %s\n", plain.Text(string(v.Permissions)))
		}
	}
	return table.Flush()
}

func pluginInfoCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info NAME",
		Short: "Print what the catalogue says of a plugin",
		Args:  cobra.ExactArgs(1),
	}
	answer := printed(cmd)
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		index, err := b.catalogue(cmd.Context())
		if err != nil {
			return err
		}
		p := index.Plugins[args[0]]
		if p == nil {
			_, err := index.Choose(args[0], "", version)
			return err
		}
		return answer(catalogued{args[0], p})
	})
	return cmd
}

// indexing says how to make a catalogue.
type indexing struct {
	key  string
	days int
	yank []string
}

// maxDays is how long a catalogue may be valid, in days.
const maxDays = 366

func pluginIndexCommand(load loader, environ []string) *cobra.Command {
	var i indexing
	cmd := &cobra.Command{
		Use:   "index DIR",
		Short: "Make a catalogue of the archives in a folder, for a web server to offer",
		Long: "Writes DIR/index.json and its signature, of the archives DIR/*.tar that windie plugin pack made. A catalogue that is there is\n" +
			"continued: its number grows, its versions stay, and none of them may get another digest.",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&i.key, "sign", "", "private key of the catalogue, a `FILE`, whose password is in "+sign.PasswordVariable)
	cmd.Flags().IntVar(&i.days, "days", 30, "how long the catalogue is valid, in days")
	cmd.Flags().StringArrayVar(&i.yank, "yank", nil, "take a version back, as weather@1.2.0=REASON; may be repeated")
	_ = cmd.MarkFlagRequired("sign") // the flag is there
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		if i.days < 1 || i.days > maxDays {
			return &usageError{cmd, fmt.Errorf("--days: must be 1 to %d", maxDays)}
		}
		return b.index(cmd, args[0], i, keyPassword(environ))
	})
	return cmd
}

// index writes the catalogue of a folder.
func (b *bench) index(cmd *cobra.Command, dir string, i indexing, password string) error {
	file := filepath.Join(dir, "index.json")
	before, err := earlier(file)
	if err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar"))
	if err != nil {
		return err
	}
	slices.Sort(archives)
	var entries []catalogue.Entry
	for _, archive := range archives {
		e, err := b.entry(cmd.Context(), archive)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(archive), plain.Explain(err))
		}
		entries = append(entries, e)
	}
	yanked := map[string]string{}
	for _, y := range i.yank {
		at, reason, _ := strings.Cut(y, "=")
		yanked[at] = cmp.Or(reason, "no reason was given")
	}
	made, err := catalogue.Make(before, entries, yanked, time.Now(), time.Duration(i.days)*24*time.Hour)
	if err != nil {
		return err
	}
	raw, signature, err := made.Signed(i.key, password)
	if err == nil {
		err = errors.Join(newfile.Write(file, raw), newfile.Write(file+catalogue.SignatureEnding, signature))
	}
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "%s has the number %d, %d plugins, and is valid until %s\n", file, made.Serial, len(made.Plugins), made.Expires.Format(time.DateOnly))
	}
	return err
}

// earlier returns the catalogue that is there, nil if there is none. It is the publisher's own file.
func earlier(file string) (*catalogue.Index, error) {
	raw, err := wasmtools.ReadFile(file, catalogue.MaxIndexBytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // documented
	}
	var before catalogue.Index
	if err == nil {
		err = json.Unmarshal(raw, &before)
	}
	if err != nil {
		return nil, fmt.Errorf("the catalogue %s that is there cannot be read: %w", file, err)
	}
	return &before, nil
}

// entry describes an archive.
func (b *bench) entry(ctx context.Context, archive string) (catalogue.Entry, error) {
	c, err := b.Plan(ctx, shelf.Request{Reference: archive, Look: true})
	if err != nil {
		return catalogue.Entry{}, err
	}
	e := catalogue.Entry{Name: c.Name, Number: c.After.Version, Description: c.Inspection.Admission.Description}
	if p := c.Package(); len(p.Release) > 0 {
		release, err := sign.Open(p.Release, p.Signature, p.Hashes())
		if err != nil {
			return e, err
		}
		e.Key = release.Key
	}
	e.Version = catalogue.Version{At: filepath.Base(archive), Digest: c.After.Digest, MinGateway: c.Package().Annotations[author.GatewayAnnotation]}
	for _, tool := range c.Inspection.Tools {
		e.Tools = append(e.Tools, tool.Name)
	}
	m, err := wasmtools.ParseManifest(c.Package().Manifest)
	if err == nil {
		e.Permissions, err = json.Marshal(m.Permissions)
	}
	return e, err
}
