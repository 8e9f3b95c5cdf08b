// Command manifests reads manifests from standard input, and decodes each into the type of Kubernetes' API. It fails for an
// unknown kind, for an unknown or duplicate field, and for a value of the wrong type. It prints the kinds.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// types are the known kinds. A ServiceMonitor is not of Kubernetes' API: only that it is YAML is known.
var types = map[string]func() any{
	"v1/PersistentVolumeClaim":                func() any { return new(core.PersistentVolumeClaim) },
	"v1/Service":                              func() any { return new(core.Service) },
	"v1/ServiceAccount":                       func() any { return new(core.ServiceAccount) },
	"apps/v1/StatefulSet":                     func() any { return new(apps.StatefulSet) },
	"networking.k8s.io/v1/Ingress":            func() any { return new(networking.Ingress) },
	"networking.k8s.io/v1/NetworkPolicy":      func() any { return new(networking.NetworkPolicy) },
	"policy/v1/PodDisruptionBudget":           func() any { return new(policy.PodDisruptionBudget) },
	"monitoring.coreos.com/v1/ServiceMonitor": func() any { return new(map[string]any) },
}

var separator = regexp.MustCompile(`(?m)^---\s*$`)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	for _, document := range separator.Split(string(text), -1) {
		if err := decode([]byte(document)); err != nil {
			fail(fmt.Errorf("%w in:\n%s", err, document))
		}
	}
}

// decode decodes one manifest, and prints its kind. It ignores a document that has only comments.
func decode(document []byte) error {
	text, err := yaml.YAMLToJSONStrict(document)
	if err != nil || bytes.Equal(text, []byte("null")) {
		return err
	}
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal(document, &head); err != nil {
		return err
	}
	kind := head.APIVersion + "/" + head.Kind
	object, known := types[kind]
	if !known {
		return fmt.Errorf("unknown kind %s", kind)
	}
	strict, err := json.UnmarshalStrict(text, object())
	if err := errors.Join(append(strict, err)...); err != nil {
		return err
	}
	fmt.Println(kind)
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
