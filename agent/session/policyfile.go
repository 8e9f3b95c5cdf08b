package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of a policy.
const (
	MaxPolicyFile = 256 << 10 // maximum size of a policy file, in bytes
	MaxRules      = 200
	maxRuleText   = 512 // bytes of a pattern, and of a reason
)

// Check returns the invalid fields of a policy. The path of each field begins with the argument
// path.
func (p Policy) Check(path string) []sdkapi.FieldError {
	if len(p) > MaxRules {
		return []sdkapi.FieldError{{Path: path, Message: fmt.Sprintf("expected at most %d rules", MaxRules)}}
	}
	var wrong []sdkapi.FieldError
	for i, r := range p {
		for _, w := range r.check() {
			wrong = append(wrong, sdkapi.FieldError{Path: fmt.Sprintf("%s[%d].%s", path, i, w.Path), Message: w.Message})
		}
	}
	return wrong
}

// check returns the invalid fields of a rule.
func (r Rule) check() []sdkapi.FieldError {
	var wrong []sdkapi.FieldError
	expect := func(right bool, field, format string, args ...any) {
		if !right {
			wrong = append(wrong, sdkapi.FieldError{Path: field, Message: "expected " + fmt.Sprintf(format, args...)})
		}
	}
	_, err := path.Match(r.Tool, "")
	expect(r.Tool != "" && len(r.Tool) <= maxRuleText && err == nil, "tool", `a tool's name, or a pattern such as "shell_*"`)
	expect(slices.Contains(strength, r.Verdict), "verdict", "one of %v", strength)
	risks := []agent.Risk{"", agent.Safe, agent.Risky, agent.Forbidden}
	expect(slices.Contains(risks, r.Risk), "risk", "one of %v", risks[1:])
	expect(len(r.Reason) <= maxRuleText, "reason", "at most %d bytes", maxRuleText)
	expect(!r.Untrusted || r.Verdict == Allow, "untrusted", "untrusted only together with the verdict %s", Allow)
	return wrong
}

// ParsePolicy parses a policy file: a list of rules in YAML or JSON. Its error is a
// VALIDATION_ERROR whose fields have paths such as "line 3".
func ParsePolicy(text []byte) (Policy, error) {
	p := policyParser{wrong: fault.New("session.ParsePolicy", sdkapi.ValidationError, "the policy is invalid")}
	if len(text) > MaxPolicyFile {
		return nil, p.wrong.At("line 1", "expected at most %d bytes", MaxPolicyFile)
	}
	var file yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&file); {
	case errors.Is(err, io.EOF): // only comments
		return nil, nil
	case err != nil:
		return nil, p.wrong.At("line 1", "expected YAML: %v", err)
	}
	list := file.Content[0]
	switch {
	case list.Kind != yaml.SequenceNode:
		p.at(list, "expected a list of rules")
	case len(list.Content) > MaxRules:
		p.at(list.Content[MaxRules], "expected at most %d rules", MaxRules)
	default:
		for _, node := range list.Content {
			p.rule(node)
		}
	}
	if !errors.Is(decoder.Decode(&yaml.Node{}), io.EOF) {
		p.at(list, "expected a single YAML document")
	}
	if len(p.wrong.Details.Fields) > 0 {
		return nil, p.wrong
	}
	return p.policy, nil
}

type policyParser struct {
	policy Policy
	wrong  *fault.Error
}

// at adds a field for a node's line.
func (p *policyParser) at(node *yaml.Node, format string, args ...any) {
	p.wrong = p.wrong.At(fmt.Sprintf("line %d", node.Line), format, args...)
}

// rule parses one rule.
func (p *policyParser) rule(node *yaml.Node) {
	if node.Kind != yaml.MappingNode {
		p.at(node, "expected a rule, for example {tool: shell_*, verdict: deny}")
		return
	}
	var r Rule
	into := map[string]any{"tool": &r.Tool, "risk": &r.Risk, "verdict": &r.Verdict, "reason": &r.Reason, "untrusted": &r.Untrusted}
	where := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		field, known := into[key.Value]
		switch {
		case !known:
			p.at(key, "unknown field %q: expected tool, risk, verdict, reason or untrusted", key.Value)
		case where[key.Value] != nil:
			p.at(key, "duplicate field %s", key.Value)
		case value.Kind != yaml.ScalarNode || value.Decode(field) != nil:
			p.at(value, "%s: expected one value, and true or false for untrusted", key.Value)
		}
		where[key.Value] = value
	}
	for _, w := range r.check() {
		p.at(cmp.Or(where[w.Path], node), "%s: %s", w.Path, w.Message)
	}
	p.policy = append(p.policy, r)
}
