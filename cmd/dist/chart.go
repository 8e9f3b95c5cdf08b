package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// chartVersions matches the lines of Chart.yaml with the version of the chart, and of the image.
var chartVersions = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// chart writes the Helm chart as helm packs it, with this version. npm's package has the name windie-VERSION.tgz.
func (r *release) chart() error {
	root := filepath.Join(r.root, "examples", "deploy", "helm")
	var members []member
	err := fs.WalkDir(os.DirFS(root), "windie", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if path.Base(name) == "Chart.yaml" {
			if n := len(chartVersions.FindAll(data, -1)); n != 2 {
				return fmt.Errorf("%s has %d lines of versions, expected 2", name, n)
			}
			data = chartVersions.ReplaceAll(data, []byte("$1: "+r.version))
		}
		members = append(members, member{name, 0o644, data})
		return nil
	})
	if err != nil {
		return err
	}
	return r.file("windie-chart-"+r.version+".tgz", func(w io.Writer) error { return writeTar(w, members, r.time) })
}
