package doorstest

import (
	"bytes"
	"context"
	"mime/multipart"
	"path/filepath"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/wasmtools"
)

// WithPlugins returns the configuration of a gateway with an empty folder of plugins. The gateway loads plugins from
// this folder until the test ends.
func WithPlugins(t testing.TB) gateway.App {
	t.Helper()
	engine, err := wasmtools.NewEngine(wasmtools.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tools, dir := agent.NewRegistry(), t.TempDir()
	plugins, err := wasmtools.NewPlugins(engine, tools, wasmtools.Folder{Dir: dir, Grants: filepath.Join(t.TempDir(), "grants.json"), Every: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		plugins.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		plugins.Close()
	})
	return gateway.App{Plugins: plugins, Tools: tools}
}

// Form returns a multipart form that contains a plugin's file and its manifest, and the content type of the form.
func Form(t testing.TB, name string, module []byte, manifest string) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = new(bytes.Buffer)
	w := multipart.NewWriter(body)
	file, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = file.Write(module)
	}
	if err == nil && manifest != "" {
		err = w.WriteField("manifest", manifest)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return body, w.FormDataContentType()
}
