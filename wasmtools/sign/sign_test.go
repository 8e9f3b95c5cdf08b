package sign_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aead.dev/minisign"
	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools/sign"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var hashes = map[string]string{"module": strings.Repeat("a", 64), "manifest": strings.Repeat("b", 64)}

func write(t *testing.T, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The program minisign takes our keys and signatures, and we take its.
func TestMinisignAgrees(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("minisign")
	if err != nil {
		testkit.Skip(t, "minisign", "make deps")
	}
	dir := t.TempDir()
	ours := filepath.Join(dir, "ours.key")
	public, err := sign.WriteKey(ours, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := sign.ReadKey(ours, "")
	if err != nil {
		t.Fatal(err)
	}
	release, signature := sign.Sign(key, sign.Release{Name: "weather", Version: "1.2.0", Files: hashes})
	file := write(t, dir, "release.json", release)
	minisign := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("minisign %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	out := minisign("-V", "-P", public, "-m", file, "-x", write(t, dir, "ours.minisig", signature))
	if !strings.Contains(out, "Trusted comment: windie plugin weather 1.2.0") {
		t.Errorf("minisign says %s", out)
	}
	minisign("-G", "-W", "-p", filepath.Join(dir, "theirs.pub"), "-s", filepath.Join(dir, "theirs.key"))
	theirs, err := sign.ReadKey(filepath.Join(dir, "theirs.key"), "")
	if err != nil {
		t.Fatal(err)
	}
	release, _ = sign.Sign(theirs, sign.Release{Name: "weather", Files: hashes})
	file = write(t, dir, "theirs.json", release)
	for _, form := range [][]string{nil, {"-l"}} { // over the hash of the content, and over the content
		minisign(append([]string{"-S", "-s", filepath.Join(dir, "theirs.key"), "-m", file, "-x", filepath.Join(dir, "theirs.minisig")}, form...)...)
		made, err := os.ReadFile(filepath.Join(dir, "theirs.minisig"))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := sign.Open(release, made, hashes); err != nil || r.Name != "weather" {
			t.Errorf("minisign's signature, %v: %+v, %v", form, r, err)
		}
	}
	text, _ := os.ReadFile(filepath.Join(dir, "theirs.pub"))
	if k, err := sign.ParsePublic(string(text)); err != nil || k.String() != sign.Public(theirs) {
		t.Errorf("the file of its public key: %v, %v", k, err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	public, err := sign.WriteKey(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if key, err := sign.ReadKey(path, ""); err != nil || sign.Public(key) != public {
		t.Errorf("as it was written: %v", err)
	}
	if _, err := sign.WriteKey(path, ""); err == nil {
		t.Error("a key was written over another")
	}
	if _, err := sign.ReadKey(write(t, dir, "long", make([]byte, 4<<10+1)), ""); err == nil || !strings.Contains(err.Error(), "more than 4096 bytes") {
		t.Errorf("a long file: %v", err)
	}
	if _, err := sign.ReadKey(write(t, dir, "other", make([]byte, 4<<10)), ""); err == nil || !strings.Contains(err.Error(), "windie plugin key new") {
		t.Errorf("another file: %v", err)
	}
}

// A release is one JSON object, with nothing behind it.
func TestOpenReadsAll(t *testing.T) {
	t.Parallel()
	_, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	release, _ := sign.Sign(key, sign.Release{Name: "weather", Files: hashes})
	for more, right := range map[string]bool{"": true, "\n": true, "}": false, "]": false, "{}": false} {
		t.Run(strconv.Quote(more), func(t *testing.T) {
			text := append(bytes.Clone(release), more...)
			if _, err := sign.Open(text, minisign.Sign(key, text), hashes); (err == nil) != right {
				t.Errorf("with that behind it: %v", err)
			}
		})
	}
}

func TestReadPolicy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules := func(n int) string {
		return `{"sources":[` + strings.TrimSuffix(strings.Repeat(`{"source":"x"},`, n), ",") + `]}`
	}
	for name, tt := range map[string]struct{ text, wrong string }{
		"nothing":          {`{}`, ""},
		"many rules":       {rules(1000), ""},
		"too many rules":   {rules(1001), "sources has 1001 rules; the limit is 1000"},
		"the longest":      {`{}` + strings.Repeat(" ", 256<<10-2), ""},
		"too long":         {`{}` + strings.Repeat(" ", 256<<10-1), "at most 262144"},
		"a level":          {`{"default":"maybe"}`, "default must be required"},
		"a rule's level":   {`{"sources":[{"source":"x","signature":"maybe"}]}`, "sources[0].signature"},
		"a star inside":    {`{"sources":[{"source":"oci://*/x"}]}`, "sources[0].source"},
		"no source":        {`{"sources":[{"signature":"off"}]}`, "sources[0].source"},
		"a key":            {`{"sources":[{"source":"x","keys":["RWQ"]}]}`, "invalid minisign public key"},
		"anybody's cosign": {`{"sources":[{"source":"x","cosign":{"issuer":"https://i"}}]}`, "any signature would be accepted"},
		"another object":   {`{"default":"required"}{"default":"off"}`, "the text has data after the JSON object"},
		"another brace":    {`{}}`, "the text has data after the JSON object"},
		"lines behind it":  {"{}\n\n", ""},
		"another field":    {`{"source":[]}`, "unknown field"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sign.ReadPolicy(write(t, dir, strings.ReplaceAll(name, " ", "-"), []byte(tt.text)))
			if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(fault.From(err).Message, tt.wrong) {
				t.Errorf("%v, want %q", err, tt.wrong)
			}
		})
	}
	if p, err := sign.ReadPolicy(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %+v, %v", p, err)
	}
	if got := (sign.Policy{}).For("oci://x").Signature; got != sign.Preferred {
		t.Errorf("the zero value says %s", got)
	}
}

func TestPolicyFor(t *testing.T) {
	t.Parallel()
	p := sign.Policy{Default: sign.Required, Rules: []sign.Rule{{Source: "oci://a/b", Signature: sign.Off}, {Source: "oci://a/*", Keys: []string{"k"}}, {Source: "*", Signature: sign.Preferred}}}
	for source, want := range map[string]sign.Level{"oci://a/b": sign.Off, "oci://a/bc": sign.Required, "oci://a": sign.Preferred, "https://x": sign.Preferred} {
		t.Run(source, func(t *testing.T) {
			if got := p.For(source).Signature; got != want {
				t.Errorf("it is %s, want %s", got, want)
			}
		})
	}
}

// A requested key is checked even where the policy checks nothing.
func TestRequestedKeyIsChecked(t *testing.T) {
	t.Parallel()
	off := sign.Rule{Source: "oci://a/b", Signature: sign.Off}
	keys := [2]string{}
	for i := range keys {
		_, private, err := minisign.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = sign.Public(private)
	}
	k, other := keys[0], keys[1]
	for name, tt := range map[string]struct {
		signer, requested string
		refused           bool
	}{
		"no key requested": {k, "", false},
		"the signer's key": {k, k, false},
		"another key":      {other, k, true},
		"unsigned":         {"", k, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := off.JudgeKey(tt.signer, "", tt.requested)
			if (err != nil) != tt.refused || v.Ignored != (tt.requested == "") {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	if _, err := off.Judge(sign.Signed{}, "", k); err == nil {
		t.Error("an unsigned plugin passes for a requested key")
	}
}

// Cosign is asked about the digest, with the exact identity and issuer, and its no is a no. The program
// here stands for cosign, whose servers tests do not have.
func TestCosignIsAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "cosign")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nfor a; do printf '%s\\n' \"$a\"; done >\"$0.args\"\ncase \"$*\" in *good@sha256*) exit 0;; esac\necho no matching signatures >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	who := sign.Cosign{Identity: "a@example.com", Issuer: "https://issuer.example"}
	if err := who.Verify(t.Context(), program, "r.example/good@sha256:12", nil); err != nil {
		t.Error(err)
	}
	args, err := os.ReadFile(program + ".args")
	if want := "verify\n--certificate-identity\na@example.com\n--certificate-oidc-issuer\nhttps://issuer.example\n--output\ntext\nr.example/good@sha256:12\n"; err != nil || string(args) != want {
		t.Errorf("it was called with %q, %v", args, err)
	}
	if err := who.Verify(t.Context(), program, "r.example/bad@sha256:12", nil); err == nil || !strings.Contains(err.Error(), "no matching signatures") {
		t.Errorf("refused: %v", err)
	}
	if err := who.Verify(t.Context(), "", "r.example/bad@sha256:12", nil); err == nil || !strings.Contains(err.Error(), "install it") {
		t.Errorf("without the program: %v", err)
	}
}
