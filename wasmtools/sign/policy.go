package sign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Level says whether the plugins of a source must be signed.
type Level string

// The levels. An empty level in a policy means Preferred.
const (
	// A plugin must be signed by a key in the policy, by the requested key, or by the key of an
	// earlier version.
	Required Level = "required"
	// A plugin may be unsigned, unless the policy lists a key for it or an earlier version was
	// signed. If there is a signature, it is checked, and its key is remembered.
	Preferred Level = "preferred"
	Off       Level = "off" // Signatures are not checked.
)

// Policy says for each source of plugins whether its plugins must be signed, and which keys are
// trusted. In the zero value, all sources have the level Preferred.
type Policy struct {
	Default Level  `json:"default,omitempty"`
	Rules   []Rule `json:"sources,omitempty"` // rules for sources; the first rule that matches a source applies
}

// Rule is the policy for the plugins of some sources.
type Rule struct {
	// source to which the rule applies, for example "oci://registry.example/tools/*"; a star at the
	// end matches any text
	Source    string   `json:"source"`
	Signature Level    `json:"signature,omitempty"`
	Keys      []string `json:"keys,omitempty"` // trusted keys; empty: the first key that signs a plugin is trusted
	// second signature that the artifact must have in the registry; nil: no second signature is
	// required
	Cosign *Cosign `json:"cosign,omitempty"`
}

// Cosign describes an additional signature that an artifact must have, and the required signer.
// The program cosign checks this signature.
type Cosign struct {
	Identity string `json:"identity"` // exact identity of the signer, for example a workflow or an email address
	// exact URL of the issuer of the identity, for example
	// https://token.actions.githubusercontent.com
	Issuer string `json:"issuer"`
}

const (
	maxPolicyBytes = 256 << 10
	maxRules       = 1000
)

// ReadPolicy reads the file with the policy. If the file is missing, the error wraps
// fs.ErrNotExist.
func ReadPolicy(path string) (Policy, error) {
	raw, err := os.ReadFile(path)
	if err == nil && len(raw) > maxPolicyBytes {
		err = fmt.Errorf("the file has %d bytes; at most %d are allowed", len(raw), maxPolicyBytes)
	}
	var p Policy
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err = d.Decode(&p)
		if err == nil && !ended(d) {
			err = refuse("the text has data after the JSON object; remove this data")
		}
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return Policy{}, fault.New("sign.ReadPolicy", sdkapi.ValidationError, "invalid trust policy for plugins in the file %s: %s", path, fault.From(err).Message+cause(err)).Because(err)
	}
	return p, nil
}

// cause returns the text of an error, without the parts of a fault.
func cause(err error) string {
	if fault.CodeOf(err) == sdkapi.Internal {
		return ": " + err.Error()
	}
	return ""
}

// check returns an error for the first invalid part of a policy.
func (p Policy) check() error {
	levels := []Level{"", Required, Preferred, Off}
	if !slices.Contains(levels, p.Default) {
		return refuse("default must be required, preferred or off, not %.50q", p.Default)
	}
	if len(p.Rules) > maxRules {
		return refuse("sources has %d rules; the limit is %d", len(p.Rules), maxRules)
	}
	for i, r := range p.Rules {
		at := fmt.Sprintf("sources[%d]", i)
		if r.Source == "" || strings.Contains(strings.TrimSuffix(r.Source, "*"), "*") {
			return refuse("%s.source must be a source such as oci://registry.example/tools/weather, or such a source with * at its end", at)
		}
		if !slices.Contains(levels, r.Signature) {
			return refuse("%s.signature must be required, preferred or off, not %.50q", at, r.Signature)
		}
		if r.Cosign != nil && (r.Cosign.Identity == "" || r.Cosign.Issuer == "") {
			return refuse("%s.cosign needs an exact identity and an exact issuer: without them any signature would be accepted", at)
		}
		for _, key := range r.Keys {
			if _, err := ParsePublic(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits reports whether a rule is for a source. It compares hosts without regard to case, a final
// dot and the default port. A rule that ends within a host matches every source with that prefix as
// written too.
func (r Rule) fits(source string) bool {
	for _, rule := range []string{r.Source, egress.Spelled(r.Source)} {
		start, open := strings.CutSuffix(rule, "*")
		for _, s := range []string{source, egress.Spelled(source)} {
			if rule == s || open && strings.HasPrefix(s, start) {
				return true
			}
		}
	}
	return false
}

// For returns the first rule that matches the source of a plugin. If no rule matches, For returns a
// rule with the default level. The level of the returned rule is never empty.
func (p Policy) For(source string) Rule {
	level := p.Default
	if level == "" {
		level = Preferred
	}
	for _, r := range p.Rules {
		if r.fits(source) {
			if r.Signature == "" {
				r.Signature = level
			}
			return r
		}
	}
	return Rule{Source: source, Signature: level}
}

// Signed is a fetched plugin with its release and the signature of the release. Release and
// Signature are empty if the plugin is unsigned.
type Signed struct {
	Release, Signature []byte
	Hashes             map[string]string
}

// Verdict is the result of checking a plugin's signature.
type Verdict struct {
	// key of the signer; empty if the plugin is unsigned or the signature was not checked
	Key     string `json:"key,omitempty"`
	First   bool   `json:"first,omitempty"`   // true if the key is trusted because it was the first to sign the plugin
	Ignored bool   `json:"ignored,omitempty"` // true if the signature was not checked
	Release Release
}

// Judge checks whether the rule accepts the signer of a plugin. previousKey is the key that signed
// the installed version. It may be empty. If requestedKey is empty, the rule decides. Otherwise,
// requestedKey is the only key that may have signed the plugin. If the rule also lists keys,
// requestedKey must be one of these keys.
func (r Rule) Judge(s Signed, previousKey, requestedKey string) (Verdict, error) {
	var release Release
	if !r.ignores(requestedKey) && len(s.Release) > 0 && len(s.Signature) > 0 {
		var err error
		if release, err = Open(s.Release, s.Signature, s.Hashes); err != nil {
			return Verdict{}, err
		}
	}
	v, err := r.JudgeKey(release.Key, previousKey, requestedKey)
	v.Release = release
	return v, err
}

// JudgeKey does the same as Judge for a plugin whose signature was already checked. signer is the
// key that signed the plugin. It is empty if the plugin is unsigned.
func (r Rule) JudgeKey(signer, previousKey, requestedKey string) (Verdict, error) {
	if r.ignores(requestedKey) {
		return Verdict{Ignored: true}, nil
	}
	trusted := r.Keys
	if requestedKey != "" {
		if len(r.Keys) > 0 && !lists(r.Keys, requestedKey) {
			return Verdict{}, refuse("the requested key %s is not in the policy's list for %s; if you trust the key, add it to the list", requestedKey, r.Source)
		}
		trusted = []string{requestedKey}
	}
	v := Verdict{Key: signer}
	switch {
	case signer == "":
		return v, r.unsigned(previousKey, len(trusted) > 0)
	case len(trusted) > 0 && !lists(trusted, signer):
		return v, refuse("%s is signed by the key %s, but the policy trusts only %.300s; ask its author for the correct key, and do not use the plugin until then", r.Source, signer, strings.Join(trusted, ", "))
	case len(trusted) > 0:
		return v, nil
	case previousKey != "" && !sameKey(previousKey, signer):
		return v, refuse("%s is signed by the key %s, but earlier it was signed by %s; ask its author: if the new key belongs to the author, pass the key with --key", r.Source, signer, previousKey)
	case previousKey != "":
		return v, nil
	case r.Signature == Required:
		return v, refuse("%s is signed by the key %s, which is in no list of trusted keys, but the policy requires a trusted key; compare the key with the author's published key, then pass the key with --key", r.Source, signer)
	}
	v.First = true
	return v, nil
}

// ignores reports whether the rule checks no signature. A requested key is always checked.
func (r Rule) ignores(requestedKey string) bool { return r.Signature == Off && requestedKey == "" }

// lists reports whether keys contain a key, in any of its spellings.
func lists(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return sameKey(k, key) })
}

// unsigned returns an error unless the rule accepts an unsigned plugin. known is the key that signed
// an earlier version, or empty. listed must be true if a key is set for the source.
func (r Rule) unsigned(known string, listed bool) error {
	switch {
	case known != "":
		return refuse("%s is not signed, but earlier it was signed by %s; ask its author, and do not use the plugin until then", r.Source, known)
	case listed:
		return refuse("%s is not signed, but the policy lists a key for it; ask its author for a signed version", r.Source)
	case r.Signature == Required:
		return refuse("%s is not signed, but the policy requires a signature; ask its author for a signed version, or change the policy", r.Source)
	}
	return nil
}

// sameKey compares the keys and not their texts. It is false if one of them is invalid.
func sameKey(a, b string) bool {
	x, err := ParsePublic(a)
	y, err2 := ParsePublic(b)
	return err == nil && err2 == nil && x.Equal(y)
}
