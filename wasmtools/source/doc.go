// Package source fetches plugins by references, and publishes them.
//
//	ref, err := source.Parse("oci://registry.example/tools/weather:1.2")
//	fetcher, err := source.New(source.Config{})
//	got, err := fetcher.Fetch(ctx, ref)
//	got.Digest // pins it: ref with that as its Digest is the same for ever
//
// # Words
//
// A reference names a plugin, as oci://HOST/NAME:TAG, oci://HOST/NAME@DIGEST, or the path of a file. Its
// source is the reference without a version: two references with one source are versions of one plugin.
// A package is what travels: a module or script, and what describes it. In a registry, and in an
// archive, a package is an OCI artifact; its digest is that of the artifact's manifest.
//
// # What is read
//
// The layout of the CNCF for WebAssembly (a layer application/wasm), the layers that older tools
// write, and images for containers whose one file is the module, as hyper-mcp publishes. What is
// written is the first, with the plugin's manifest and the rest in layers of their own.
//
// # What is refused
//
// All that is fetched is bounded in bytes, time and redirects, and compared with its digest. Registries at
// private addresses, plain HTTP, and redirects to these are refused, unless Config.Private names the
// registry. Nothing is unpacked to a disk.
package source
