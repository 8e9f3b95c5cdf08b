package agent

import (
	"errors"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of the work to check a value. A short schema can make the check of a short value almost endless: if
// the schema refers to itself twice for each field, each level doubles the work. Schemas come from plugins
// and clients, so affordable computes the work before the check.
const (
	maxWork      = 250_000 // steps for one value, about a tenth of a second; each may be a problem to store
	endless      = maxWork + 1
	textPerStep  = 1024 // bytes of text that one step can copy and count
	matchPerStep = 20   // pattern instructions times text bytes in one step
	sizeOfFormat = 20   // size of a format, counted like a pattern
)

// plan is the work of checking one value against a schema. A recursive schema has endless steps.
type plan struct {
	inPlace  []*jsonschema.Schema // schemas that also apply to the same value
	own      int                  // steps of this schema alone
	steps    int                  // steps of this schema and all schemas below, at most endless
	patterns int                  // size of the patterns of this schema and all below, at most endless
}

// survey returns the plans of root and all schemas below, or the reason why the work cannot be
// computed.
func survey(root *jsonschema.Schema) (map[*jsonschema.Schema]*plan, error) {
	plans := map[*jsonschema.Schema]*plan{}
	if err := addPlan(plans, root); err != nil {
		return nil, err
	}
	left := map[*jsonschema.Schema]bool{}
	for s := range plans {
		if circles(plans, s, left) {
			return nil, errors.New("expected a schema without a $ref that leads back to itself; only a $ref inside a property or an item may do that")
		}
	}
	return plans, nil
}

// addPlan adds the plan of s and of all schemas below. A plan that is not finished has 0 steps. If addPlan
// meets such a plan, the schemas form a cycle.
func addPlan(plans map[*jsonschema.Schema]*plan, s *jsonschema.Schema) error {
	if s.DynamicRef != nil || s.RecursiveRef != nil {
		return errors.New("expected a schema without $dynamicRef and $recursiveRef: the gateway cannot limit their cost")
	}
	p := &plan{inPlace: inPlace(s)}
	plans[s] = p
	p.own = 1 + len(s.Required) + len(s.PatternProperties) + len(s.DependentRequired)
	if s.Enum != nil {
		p.own += len(s.Enum.Values)
	}
	steps, patterns := p.own, patternsOf(s)
	for _, sub := range slices.Concat(p.inPlace, below(s)) {
		known := plans[sub]
		if known == nil {
			if err := addPlan(plans, sub); err != nil {
				return err
			}
			known = plans[sub]
		} else if known.steps == 0 {
			steps = endless
			continue
		}
		steps, patterns = min(steps+known.steps, endless), min(patterns+known.patterns, endless)
	}
	p.steps, p.patterns = steps, patterns
	return nil
}

// circles reports whether checking a value against s checks the same value against s again. left
// has the visited schemas: true if their visit has ended without a cycle.
func circles(plans map[*jsonschema.Schema]*plan, s *jsonschema.Schema, left map[*jsonschema.Schema]bool) bool {
	if done, met := left[s]; met {
		return !done
	}
	left[s] = false
	for _, sub := range plans[s].inPlace {
		if circles(plans, sub, left) {
			return true
		}
	}
	left[s] = true
	return false
}

// inPlace returns the other schemas that s applies to the same value.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	subs := slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
	for _, sub := range s.DependentSchemas {
		subs = append(subs, sub)
	}
	for _, dependency := range s.Dependencies {
		subs = append(subs, schemasIn(dependency)...)
	}
	return slices.DeleteFunc(subs, func(sub *jsonschema.Schema) bool { return sub == nil })
}

// below returns the schemas of a value's fields, names and items.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	subs := slices.Concat([]*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems},
		s.PrefixItems, schemasIn(s.AdditionalProperties), schemasIn(s.Items), schemasIn(s.AdditionalItems))
	for _, sub := range s.Properties {
		subs = append(subs, sub)
	}
	for _, sub := range s.PatternProperties {
		subs = append(subs, sub)
	}
	return slices.DeleteFunc(subs, func(sub *jsonschema.Schema) bool { return sub == nil })
}

// schemasIn returns the schemas in a keyword: one, several or no schemas.
func schemasIn(keyword any) []*jsonschema.Schema {
	switch k := keyword.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{k}
	case []*jsonschema.Schema:
		return k
	}
	return nil
}

// patternsOf returns the size of the patterns of s alone.
func patternsOf(s *jsonschema.Schema) int {
	size := 0
	if p, ok := s.Pattern.(pattern); ok {
		size += p.size
	}
	if s.Format != nil {
		size += sizeOfFormat
	}
	for re := range s.PatternProperties {
		if p, ok := re.(pattern); ok {
			size += p.size
		}
	}
	return min(size, endless)
}

// affordable reports whether doc can be checked within maxWork steps. For most schemas, a product of sizes
// proves it. For other schemas, affordable walks the value.
func (s *schema) affordable(doc document) bool {
	p := s.plans[s.root]
	if p.steps <= maxWork && p.patterns <= maxWork &&
		p.steps*(doc.values+doc.bytes/textPerStep)+p.patterns*doc.bytes/matchPerStep <= maxWork {
		return true
	}
	m := meter{plans: s.plans, left: maxWork}
	m.visit(s.root, doc.value)
	return m.left >= 0
}

// meter walks a value like the validator, along every alternative but without checking, until no steps are
// left.
type meter struct {
	plans map[*jsonschema.Schema]*plan
	left  int
}

// visit takes the steps of checking value against s and all schemas below. A nil schema takes no steps.
func (m *meter) visit(s *jsonschema.Schema, value any) {
	if s == nil || m.left < 0 {
		return
	}
	p := m.plans[s]
	m.left -= p.own
	for _, sub := range p.inPlace {
		m.visit(sub, value)
	}
	switch v := value.(type) {
	case string:
		m.left -= len(v)/textPerStep + len(v)*patternsOf(s)/matchPerStep
	case map[string]any:
		for name, child := range v {
			m.visitField(s, name, child)
		}
	case []any:
		m.visitItems(s, v)
	}
}

// visitField takes the steps of checking one field of an object against the schemas in s for its name and value.
func (m *meter) visitField(s *jsonschema.Schema, name string, child any) {
	m.left -= len(name) * patternsOf(s) / matchPerStep
	m.visit(s.PropertyNames, name)
	known := s.Properties[name]
	m.visit(known, child)
	for _, sub := range s.PatternProperties {
		m.visit(sub, child)
	}
	if known == nil {
		for _, sub := range schemasIn(s.AdditionalProperties) {
			m.visit(sub, child)
		}
		m.visit(s.UnevaluatedProperties, child)
	}
}

// visitItems takes the steps of checking the items of an array against the schemas in s for items.
func (m *meter) visitItems(s *jsonschema.Schema, items []any) {
	for i, item := range items {
		if i < len(s.PrefixItems) {
			m.visit(s.PrefixItems[i], item)
		}
		if one, ok := s.Items.([]*jsonschema.Schema); ok && i < len(one) {
			m.visit(one[i], item)
		}
		if all, ok := s.Items.(*jsonschema.Schema); ok {
			m.visit(all, item)
		}
		for _, sub := range schemasIn(s.AdditionalItems) {
			m.visit(sub, item)
		}
		m.visit(s.Items2020, item)
		m.visit(s.Contains, item)
		m.visit(s.UnevaluatedItems, item)
	}
}
