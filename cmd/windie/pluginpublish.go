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

// keyPassword returns the password of private keys, or "" if it is not set. If the variable occurs
// twice in environ, the last value wins.
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
	f.StringVar(&p.Readme, "readme", "", "README `FILE` to include, or \"none\" (default README.md in the plugin's folder)")
	f.StringVar(&p.Licence, "licence", "", "licence `FILE` to include, or \"none\" (default LICENSE in the plugin's folder)")
	f.StringVar(&p.SBOM, "sbom", "", "CycloneDX SBOM `FILE` to include, or \"none\" (default: generate one with go or cargo, or from package-lock.json)")
	f.StringVar(&p.Source, "source", "", "`URL` of the source code")
	f.StringVar(&p.Licences, "licences", "", "licence as an SPDX `EXPRESSION`, for example MIT")
	f.StringVar(&p.Version, "version", "", "version `NUMBER`, for example 1.2.0, if the manifest has none")
	f.BoolVar(&p.Compat, "compat", false, "use a config type that all registries accept; some versions of GitLab reject the WebAssembly type")
	f.StringVar(&p.Key, "sign", "", "sign with the private key in `FILE`; its password is in "+sign.PasswordVariable)
}

// pluginPackCommand returns `windie plugin pack`. The archive is written atomically.
func pluginPackCommand(load loader, environ []string) *cobra.Command {
	var p author.Packing
	var to string
	cmd := &cobra.Command{
		Use:   "pack FILE",
		Short: "Pack a plugin with its manifest, README, licence and signature",
		Long: "FILE is a plugin's .wasm or .js. The command opens it as a gateway would. The archive is an OCI\n" +
			"layout. `windie plugin push` publishes it, `windie plugin add` installs it, and other tools can\n" +
			"read it. The same files always produce the same archive.",
		Example: "  windie plugin pack words.wasm\n  windie plugin pack words.wasm --sign author.key --out words.tar",
		Args:    cobra.ExactArgs(1),
	}
	packFlags(cmd, &p)
	cmd.Flags().StringVarP(&to, "out", "o", "", "write the archive to `FILE` (default NAME-VERSION.tar in the current folder)")
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

// pluginPushCommand returns `windie plugin push`. It checks the reference before it builds the
// package.
func pluginPushCommand(load loader, environ []string) *cobra.Command {
	var p author.Packing
	cmd := &cobra.Command{
		Use:   "push FILE REFERENCE",
		Short: "Publish a plugin, or a packed archive, in a registry",
		Long: "FILE is a plugin's .wasm or .js, or an archive from windie plugin pack. REFERENCE is\n" +
			"oci://REGISTRY/NAME:TAG.",
		Example: "  windie plugin push words.wasm oci://registry.example/words:1.2.0",
		Args:    cobra.ExactArgs(2),
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
		return nil, errors.New("these flags do not apply to a packed archive; use them with windie plugin pack")
	}
	ref, err := source.Parse(p.File)
	if err != nil {
		return nil, err
	}
	return b.Fetch(ctx, ref)
}

// pluginKeyCommand returns `windie plugin key`. It needs no settings.
func pluginKeyCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "key FILE",
		Short:   "Print the public key that belongs to a private key",
		Example: "  windie plugin key author.key",
		Args:    cobra.ExactArgs(1),
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
		Short: "Create a private key for signing plugins, and print its public key",
		Long: "The command writes a new minisign private key to FILE. It encrypts the key if\n" +
			"" + sign.PasswordVariable + " contains a password. Publish the public key, so that people can verify your\n" +
			"plugins. Keep FILE and a copy of it safe: anyone who has it can sign as you.",
		Example: "  windie plugin key new author.key",
		Args:    cobra.ExactArgs(1),
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

// print prints the plugin's reference, digest, signer and annotations, then its inspection.
func (l looked) print(w io.Writer) error {
	fmt.Fprintf(w, "%s from %s\n", l.Name, plain.Text(l.Reference))
	fmt.Fprintf(w, "%s, holds %s\n", l.After.Digest, l.Holds)
	fmt.Fprintln(w, plain.Text(signedBy(l.Signed)))
	for _, key := range slices.Sorted(maps.Keys(l.Annotations)) {
		fmt.Fprintf(w, "%s: %s\n", plain.Text(strings.TrimPrefix(key, "org.opencontainers.image.")), plain.Text(l.Annotations[key]))
	}
	return l.Inspection.Print(w)
}

// pluginInspectCommand returns `windie plugin inspect`. An argument that is both a file and an
// installed plugin means the file.
func pluginInspectCommand(load loader, environ []string) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:     "inspect REFERENCE|NAME",
		Short:   "Print a plugin's description, signer and permissions, without installing it",
		Example: "  windie plugin inspect oci://registry.example/words:1.2.0\n  windie plugin inspect words --json",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&key, "key", "", "public `KEY` that the plugin's signature must match")
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
