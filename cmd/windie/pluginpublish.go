package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
)

// keyPassword returns the password of private keys.
func keyPassword(environ []string) string {
	for _, variable := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(variable, sign.PasswordVariable+"="); ok {
			return value
		}
	}
	return ""
}

// packFlags adds the flags for the published parts of a plugin.
func packFlags(cmd *cobra.Command, p *author.Packing) {
	f := cmd.Flags()
	f.StringVar(&p.Readme, "readme", "", "publish this `FILE`; default: README.md beside the plugin; none leaves it out")
	f.StringVar(&p.Licence, "licence", "", "publish this `FILE`; default: LICENSE beside the plugin; none leaves it out")
	f.StringVar(&p.SBOM, "sbom", "", "list of what the plugin is built from, a `FILE` of CycloneDX; default: what go, cargo or package-lock.json say; none leaves it out")
	f.StringVar(&p.Source, "source", "", "`URL` of its source")
	f.StringVar(&p.Licences, "licences", "", "its licence as an SPDX `EXPRESSION`, as MIT")
	f.StringVar(&p.Version, "version", "", "its `NUMBER`, as 1.2.0, if its manifest has none")
	f.BoolVar(&p.Compat, "compat", false, "for registries that refuse the type of WebAssembly's config, as some versions of GitLab")
	f.StringVar(&p.Key, "sign", "", "sign it with the private key in `FILE`, whose password is in "+sign.PasswordVariable)
}

func pluginPackCommand(load loader, environ []string) *cobra.Command {
	var p author.Packing
	var to string
	cmd := &cobra.Command{
		Use:   "pack FILE",
		Short: "Put a plugin with its manifest, README, licence and signature into an archive",
		Long: "FILE is a plugin's .wasm or .js. It is opened as a gateway would. The archive is an OCI layout: windie plugin push publishes it,\n" +
			"windie plugin add takes it as a file, and other tools read it. The same files give the same bytes.",
		Args: cobra.ExactArgs(1),
	}
	packFlags(cmd, &p)
	cmd.Flags().StringVarP(&to, "out", "o", "", "write the archive to `FILE`; default: NAME-VERSION.tar here")
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		p.File, p.Environ, p.Password = args[0], environ, keyPassword(environ)
		pkg, found, err := b.workshop.Pack(cmd.Context(), p)
		if err != nil {
			return err
		}
		version := cmp.Or(found.Admission.Version, p.Version, "latest")
		file := cmp.Or(to, found.Admission.Name+"-"+strings.ReplaceAll(version, "/", "_")+".tar")
		if err := newfile.Write(file, pkg.Archive(version)); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s holds %s, %s\n", file, contents(pkg), pkg.Digest)
		return nil
	})
	return cmd
}

// contents names the parts of a package.
func contents(p *source.Package) string {
	names := slices.Sorted(maps.Keys(p.Hashes()))
	if p.Signature != nil {
		names = append(names, "signature")
	}
	return strings.Join(names, ", ")
}

func pluginPushCommand(load loader, environ []string) *cobra.Command {
	var p author.Packing
	cmd := &cobra.Command{
		Use:   "push FILE REFERENCE",
		Short: "Publish a plugin, or an archive of pack, in a registry",
		Long:  "REFERENCE is oci://REGISTRY/NAME:TAG. FILE is a plugin's .wasm or .js, or the archive that windie plugin pack made.",
		Args:  cobra.ExactArgs(2),
	}
	packFlags(cmd, &p)
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		p.File, p.Environ, p.Password = args[0], environ, keyPassword(environ)
		ref, err := source.Parse(args[1])
		if err != nil {
			return err
		}
		pkg, err := b.packed(cmd.Context(), p)
		if err != nil {
			return err
		}
		ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "publishing "+plain.Text(ref.String()))
		digest, err := b.Push(ctx, pkg, ref)
		shown()
		if err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "%s holds %s; pinned it is %s@%s\n", plain.Text(ref.String()), contents(pkg), ref.Source(), digest)
		}
		return err
	})
	return cmd
}

// packed packs a plugin, or reads an archive.
func (b *bench) packed(ctx context.Context, p author.Packing) (*source.Package, error) {
	if filepath.Ext(p.File) != ".tar" {
		pkg, _, err := b.workshop.Pack(ctx, p)
		return pkg, err
	}
	if p.Key != "" || p.Readme+p.Licence+p.SBOM+p.Source+p.Licences+p.Version != "" {
		return nil, errors.New("an archive is published as it is; give these flags to windie plugin pack")
	}
	ref, err := source.Parse(p.File)
	if err != nil {
		return nil, err
	}
	return b.Fetch(ctx, ref)
}

func pluginKeyCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key FILE",
		Short: "Print the public key of a private one",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := sign.ReadKey(args[0], keyPassword(environ))
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), sign.Public(key))
			}
			return plain.Explain(err)
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "new FILE",
		Short: "Make a private key to sign plugins with, and print its public key",
		Long: "Writes a new private key of minisign to FILE, encrypted if " + sign.PasswordVariable + " has a password. Publish the public key\n" +
			"where people can compare it, and keep FILE and a copy of it safe: who has it can sign as you.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			public, err := sign.WriteKey(args[0], keyPassword(environ))
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), public)
			}
			return plain.Explain(err)
		},
	})
	return cmd
}

// looked is the output of inspect.
type looked struct {
	*shelf.Change
	Annotations map[string]string `json:"annotations,omitempty"`
	Holds       string            `json:"holds"`
}

func (l looked) print(w io.Writer) error {
	fmt.Fprintf(w, "%s from %s\n", l.Name, plain.Text(l.Reference))
	fmt.Fprintf(w, "%s, holds %s\n", l.After.Digest, l.Holds)
	fmt.Fprintln(w, plain.Text(signedBy(l.Signed)))
	for _, key := range slices.Sorted(maps.Keys(l.Annotations)) {
		fmt.Fprintf(w, "%s: %s\n", plain.Text(strings.TrimPrefix(key, "org.opencontainers.image.")), plain.Text(l.Annotations[key]))
	}
	return l.Inspection.Print(w)
}

func pluginInspectCommand(load loader, environ []string) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "inspect REFERENCE|NAME",
		Short: "Print what a plugin is, who signed it, and what it asks for; nothing is added",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&key, "key", "", "public `KEY` that must have signed it")
	answer := printed(cmd)
	cmd.RunE = onShelf(load, environ, func(cmd *cobra.Command, b *bench, args []string) error {
		reference := args[0]
		if e, err := b.Get(reference); err == nil {
			if _, err := os.Stat(reference); err != nil {
				reference = e.Reference
			}
		}
		change, err := b.Plan(cmd.Context(), shelf.Request{Reference: reference, Key: key, Look: true})
		if err != nil {
			return err
		}
		return answer(looked{change, change.Package().Annotations, contents(change.Package())})
	})
	return cmd
}
