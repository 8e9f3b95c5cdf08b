// Command compile fills a compilation cache. Its arguments are a module and the cache's folder.
// Tests run it as a separate process, because the race detector makes wazero's compiler twenty
// times slower.
package main

import (
	"context"
	"log"
	"os"

	"github.com/tetratelabs/wazero"
)

func main() {
	module, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	cache, err := wazero.NewCompilationCacheWithDir(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
	if _, err := r.CompileModule(ctx, module); err != nil {
		log.Fatal(err)
	}
}
