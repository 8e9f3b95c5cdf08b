// Package sign signs plugins, and checks who signed one.
//
//	release, signature := sign.Sign(key, sign.Release{Name: "weather", Version: "1.2.0", Files: hashes})
//	by, err := sign.Open(release, signature, hashes)
//
// # Words
//
// A release lists the files of one version of a plugin by their hashes, and has the public key of
// its author. The signature is over the release: so it covers the module, the manifest with its
// permissions, and all other files, and none can be exchanged. Keys and signatures have minisign's
// format (Ed25519); the program minisign makes and checks them too.
//
// A release that its own key signed is only known to be complete. A Policy decides whether the key
// is the author's: the operator lists the key, or it is the first key seen for the plugin.
package sign

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"aead.dev/minisign"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Release is the signed description of one version of a plugin.
type Release struct {
	V       int    `json:"v"`    // format version: 1
	Name    string `json:"name"` // name of the plugin
	Version string `json:"version,omitempty"`
	// SHA-256 of each file, by the name of the file: "module", "manifest" and so on
	Files map[string]string `json:"files"`
	Key   string            `json:"key"` // public key in minisign's format
}

// refuse returns a VALIDATION_ERROR. Its message must say what to do.
func refuse(format string, args ...any) *fault.Error {
	return fault.New("sign.Open", sdkapi.ValidationError, format, args...)
}

// Sign returns the text of a release, and its signature. The same release and key always give the
// same bytes.
func Sign(key minisign.PrivateKey, r Release) (release, signature []byte) {
	r.V, r.Key = 1, Public(key)
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err) // cannot fail: strings encode as JSON
	}
	comment := strings.TrimSpace("windie plugin " + r.Name + " " + r.Version)
	return raw, minisign.SignWithComments(key, raw, comment, fmt.Sprintf("signature from private key: %X", key.ID()))
}

// Open decodes a signed release, checks it, and returns it. It returns an error if the release was
// not signed by its own key, or if the release's files do not have the given hashes.
func Open(release, signature []byte, hashes map[string]string) (Release, error) {
	var r Release
	d := json.NewDecoder(bytes.NewReader(release))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil || !ended(d) {
		return r, refuse("the plugin's release file is invalid; ask its author to publish it again with: windie plugin pack --sign").Because(err)
	}
	if r.V != 1 {
		return r, refuse("the plugin's release has the format %d, and this program supports format 1; update the gateway", r.V)
	}
	public, err := ParsePublic(r.Key)
	if err != nil {
		return r, err
	}
	if !minisign.Verify(public, release, signature) {
		return r, refuse("the signature does not match the key %s and this content: the content was changed, or another key signed it; ask the publisher, and do not use the plugin", r.Key)
	}
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		if r.Files[name] != hashes[name] {
			return r, refuse("the plugin's %s differs from the signed content; ask the author, and do not use the plugin", name)
		}
	}
	if len(r.Files) != len(hashes) {
		return r, refuse("the plugin lacks the signed file %.200s; ask the author, and do not use the plugin", strings.Join(slices.Sorted(maps.Keys(r.Files)), ", "))
	}
	return r, nil
}

// ended reports whether nothing follows the value that d decoded. d.More would not see a brace.
func ended(d *json.Decoder) bool {
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

// ParsePublic parses a public key in minisign's format, or the text of a key file.
func ParsePublic(text string) (minisign.PublicKey, error) {
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(strings.TrimSpace(text))); err != nil {
		return key, refuse("invalid minisign public key %.100q; expected 56 letters that begin with RWQ; windie plugin key prints the public key", text).Because(err)
	}
	return key, nil
}

// Public returns the public key of a private key.
func Public(key minisign.PrivateKey) string {
	return key.Public().(minisign.PublicKey).String() //nolint:forcetypeassert // the library says so
}

// maxKeyBytes limits a key file, in bytes.
const maxKeyBytes = 4 << 10

// PasswordVariable names the environment variable that holds the password of a private key.
const PasswordVariable = "WINDIE_PLUGIN_KEY_PASSWORD"

// ReadKey reads a private key from the file at path. If the key is not encrypted, password may be
// empty.
func ReadKey(path, password string) (minisign.PrivateKey, error) {
	var key minisign.PrivateKey
	text, err := os.ReadFile(path)
	if err != nil {
		return key, fmt.Errorf("cannot use the private key: %w", err)
	}
	if len(text) > maxKeyBytes {
		return key, refuse("the file %s has more than %d bytes, so it is not a private key", path, maxKeyBytes)
	}
	if minisign.IsEncrypted(text) {
		key, err = minisign.DecryptKey(password, bytes.TrimSpace(text))
		if err != nil {
			return key, refuse("the private key %s does not open with the password in %s", path, PasswordVariable).Because(err)
		}
		return key, nil
	}
	if err := key.UnmarshalText(bytes.TrimSpace(text)); err != nil {
		return key, refuse("the file %s is not a private key; create one with: windie plugin key new", path).Because(err)
	}
	return key, nil
}

// WriteKey writes a new private key to a new file, and returns its public key. If password is not
// empty, the private key is encrypted.
func WriteKey(path, password string) (string, error) {
	_, key, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	text, err := key.MarshalText()
	if password != "" {
		text, err = minisign.EncryptKey(password, key)
	}
	if err != nil {
		return "", err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("cannot use the private key: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	return Public(key), errors.Join(err, file.Close())
}
