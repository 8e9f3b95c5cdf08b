package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A plugin is packed, published, looked at and added, and its key is known afterwards.
func TestPluginPublish(t *testing.T) {
	t.Parallel()
	host := plainRegistry(t)
	a, file := newSharer(t)
	a.environ = append(a.environ, "WINDIE_PLUGIN_PRIVATE_HOSTS=http://"+host, "DOCKER_CONFIG="+a.dir)
	a.put("README.md", "# A sample\n")
	a.put("LICENSE", "Do what you like.\n")
	key := filepath.Join(a.dir, "key")
	public := strings.TrimSpace(a.plugin(0, nil, "key", "new", key))
	a.plugin(0, []string{public}, "key", key)
	a.plugin(exitFailed, []string{"file exists"}, "key", "new", key)

	var archives [2][]byte
	for i := range archives {
		out := filepath.Join(a.dir, "sample.tar")
		a.plugin(0, []string{"licence, manifest, readme, script, signature"}, "pack", file, "--sign", key, "--out", out, "--source", "https://example.com/sample", "--licences", "MIT")
		archives[i], _ = os.ReadFile(out)
	}
	if len(archives[0]) == 0 || !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same files give other archives")
	}
	reference := "oci://" + host + "/tools/sample:1"
	a.plugin(0, []string{"pinned it is oci://" + host + "/tools/sample@sha256:"}, "push", filepath.Join(a.dir, "sample.tar"), reference)
	a.plugin(exitFailed, []string{"do not apply to a packed archive"}, "push", filepath.Join(a.dir, "sample.tar"), reference, "--sign", key)
	a.plugin(0, []string{"signed by the key " + public + ", which is seen for the first time", "licenses: MIT", "source: https://example.com/sample", "sample.say (safe)"}, "inspect", reference)
	a.plugin(exitFailed, []string{"but the policy trusts only"}, "inspect", reference, "--key", "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")
	a.plugin(0, []string{"no plugin was added from a reference"}, "list")
	a.plugin(0, []string{"signed by the key " + public}, "add", reference, "--key", public)
	a.plugin(0, []string{public}, "list")
	a.want(0, []string{"from       oci://" + host + "/tools/sample", "signed by  " + public}, "inspect", filepath.Join(a.dir, "data", "plugins", "sample", "sample.js"))
	a.plugin(0, []string{"which is trusted for it"}, "inspect", "sample")
	a.plugin(0, nil, "push", file, "oci://"+host+"/tools/compat:1", "--compat", "--readme", "none")
	a.plugin(0, []string{"holds licence, manifest, script"}, "inspect", "oci://"+host+"/tools/compat:1")
	a.plugin(exitFailed, []string{"expected a reference such as oci://"}, "push", file, "x.tar")
}
