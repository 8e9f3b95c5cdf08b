// Package source fetches plugins by references, and publishes them.
//
//	ref, err := source.Parse("oci://registry.example/tools/weather:1.2")
//	fetcher := source.New(source.Config{})
//	got, err := fetcher.Fetch(ctx, ref)
//	got.Digest // pins it: ref with this Digest always names the same content
//
// # Words
//
// A reference names a plugin: oci://HOST/NAME:TAG, oci://HOST/NAME@DIGEST, or the path of a file.
// Its source is the reference without a version: two references with one source are versions of one
// plugin. A package is the published form of a plugin: a module or script, and its descriptions. In
// a registry, and in an archive, a package is an OCI artifact; its digest is that of the artifact's
// manifest.
//
// # Formats
//
// The package reads the CNCF's layout for WebAssembly (a layer application/wasm), the layers that
// older tools write, and container images whose only file is the module, as hyper-mcp publishes
// them. It writes the first, with the plugin's manifest and the rest in separate layers.
//
// # Limits
//
// Bytes, time and redirects of a fetch are limited, and content is compared with its digest.
// Registries at private addresses, plain HTTP, and redirects to these are refused, unless
// Config.Private names the registry. Nothing is unpacked to a disk.
package source
