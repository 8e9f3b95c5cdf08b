package docs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// union describes a type that is one of several variants.
type union struct {
	by       string // the field that names the variant
	prefix   string // start of the variants' names, before the value of by
	variants map[string]variant
}

// variant lists the fields of one variant, without the fields that all variants have.
type variant struct{ required, optional []string }

// unions are the types with variants. In Go, each is one struct with the fields of all variants.
var unions = map[string]union{
	"PromptOutput": {"type", "Prompt", map[string]variant{
		"text": {[]string{"content"}, []string{"cut"}}, "tool": {[]string{"id", "function"}, []string{"input", "result"}}, "file": {[]string{"id", "url"}, nil},
	}},
	"PromptCallResult": {"type", "PromptCall", map[string]variant{
		"success": {nil, []string{"output"}}, "error": {nil, []string{"error"}}, "denied": {nil, []string{"error"}},
	}},
	"ToolContent": {"type", "Tool", map[string]variant{
		"text": {nil, []string{"text"}}, "image": {nil, []string{"mimeType", "data"}}, "json": {nil, []string{"json"}},
	}},
	"V1Part": {"type", "V1", map[string]variant{
		"text": {nil, []string{"text"}}, "image": {nil, []string{"artifact_id", "image_base64"}},
	}},
}

// variantName returns the schema name of a variant: the variant "text" of PromptOutput is
// PromptTextOutput.
func variantName(of string, u union, value string) string {
	return u.prefix + pascal(value) + strings.TrimPrefix(of, u.prefix)
}

// splitUnions replaces each union's schema with a choice of its variants.
func (d *document) splitUnions() {
	for name, u := range unions {
		whole := at(d.schemas, name)
		if whole == nil {
			continue
		}
		properties := at(whole, "properties")
		special := map[string]bool{u.by: true}
		for _, v := range u.variants {
			for _, field := range append(slices.Clone(v.required), v.optional...) {
				special[field] = true
			}
		}
		var required []any
		if list, ok := whole["required"].([]any); ok {
			required = list
		}
		var choices []any
		mapping := object{}
		for _, value := range slices.Sorted(maps.Keys(u.variants)) {
			v := u.variants[value]
			own := object{u.by: object{"type": "string", "const": value}}
			for field, schema := range properties {
				if !special[field] || slices.Contains(v.required, field) || slices.Contains(v.optional, field) {
					if field != u.by {
						own[field] = schema
					}
				}
			}
			must := slices.Clone(required)
			for _, field := range v.required {
				must = append(must, field)
			}
			schema := maps.Clone(whole)
			schema["properties"], schema["required"] = own, must
			to := variantName(name, u, value)
			d.schemas[to] = schema
			choices, mapping[value] = append(choices, ref(to)), schemasAt+to
		}
		d.schemas[name] = object{"oneOf": choices, "discriminator": object{"propertyName": u.by, "mapping": mapping}}
	}
}

// The names of schemas for JSON that the gateway does not interpret.
const (
	jsonObject = "JsonObject"
	jsonValue  = "JsonValue"
	jsonSchema = "JsonSchema"
)

// untyped maps fields without a Go type to their schema. Other fields without a type hold any
// value.
var untyped = map[string]string{
	"AssignedRun.metadata": jsonObject, "Run.metadata": jsonObject, "RunHeartbeat.metadata": jsonObject, "RunRequest.metadata": jsonObject, "RunWorker.metadata": jsonObject,
	"Decision.arguments": jsonObject, "PromptApproval.input": jsonObject, "PromptApprove.input": jsonObject, "PromptToolCall.arguments": jsonObject, "V1ToolCall.arguments": jsonObject,
	"PlannedEvent.payload": jsonObject, "Plugin.admission": jsonObject,
	"WSToolCallPayload.parameters": jsonObject, "WSApprovalRequestPayload.parameters": jsonObject, "WSBundleTool.args": jsonObject,
	"WSApprovalDecisionPayload.parameters": jsonObject, "WSQueryPayload.system_state_internal": jsonObject,
	"FunctionSchema.parameters": jsonSchema, "Tool.input": jsonSchema, "Tool.output": jsonSchema, "WSClientTool.schema": jsonSchema, "WSToolFunction.parameters": jsonSchema,
}

// typeFields adds a schema to fields without a type, which hold JSON that the gateway does not
// interpret.
func (d *document) typeFields() {
	used := map[string]bool{}
	for name, schema := range d.ownSchemas {
		for field, value := range at(schema, "properties") {
			property, _ := value.(object)
			if property == nil || saysType(property) {
				continue
			}
			to := jsonValue
			if named := untyped[name+"."+field]; named != "" {
				to = named
			}
			property["$ref"], used[to] = schemasAt+to, true
		}
	}
	for name, schema := range map[string]object{
		jsonObject: {"type": "object", "additionalProperties": true, "description": "An object of JSON, as its maker wrote it."},
		jsonValue:  {"description": "Any value of JSON."},
		jsonSchema: {"type": "object", "additionalProperties": true, "description": "A JSON Schema."},
	} {
		if used[name] {
			d.schemas[name] = schema
		}
	}
}

// saysType reports whether a schema restricts its values.
func saysType(schema object) bool {
	return slices.ContainsFunc([]string{"type", "$ref", "oneOf", "anyOf", "allOf", "enum", "const"}, func(key string) bool { return schema[key] != nil })
}

// enumNames names enumerations for which the default name, made of type and field, is not suitable.
// The key is one of the enumeration's fields.
var enumNames = map[string]string{
	"AuditRecord.decision": "AuditDecision", "AuditRecord.origin": "OriginKind", "AuditRecord.outcome": "CallOutcome", "AuditRecord.protocol": "CallProtocol",
	"Decision.state": "DecisionState", "Decision.via": "DecisionProtocol", "HistoryMessage.role": "MessageRole", "PromptRequest.interaction_mode": "InteractionMode",
	"PromptSummary.status": "PromptListStatus", "PromptStart.model": "PromptModel", "Row.script": "Script", "Run.control_mode": "RunControlMode", "RunCommand.action": "RunAction",
	"ScreenElementsRequest.role": "ElementRole", "SemanticSummary.method": "SemanticMethod", "Tool.risk": "ToolRisk", "V1ToolCall.risk": "CallRisk",
	"V1MemoryFile.kind": "MemoryKind", "V1MemoryWrite.target": "MemoryTarget", "VisionDescribeResult.theme": "Theme", "Distinction.position": "ScreenPosition",
}

// nameEnums moves enumerations to separate schemas. Enumerations with the same values share one schema.
func (d *document) nameEnums() {
	named := map[string]string{} // schema name by values
	for name, schema := range d.ownSchemas {
		for _, field := range slices.Sorted(maps.Keys(at(schema, "properties"))) {
			d.nameEnum(named, name, field, at(schema, "properties", field))
		}
	}
	for _, op := range d.operations {
		parameters, _ := op["parameters"].([]any)
		for _, p := range parameters {
			parameter, _ := p.(object)
			name, _ := parameter["name"].(string)
			id, _ := op["operationId"].(string)
			d.nameEnum(named, pascal(id), name, at(parameter, "schema"))
		}
	}
}

// nameEnum moves the enumeration of a field, or of its items, to a shared schema. An enumeration of one value becomes a
// constant. Schemas without an enumeration of strings stay unchanged. named has the schema names by values.
func (d *document) nameEnum(named map[string]string, of, field string, schema object) {
	if schema["type"] == "array" {
		schema = at(schema, "items")
	}
	values, ok := schema["enum"].([]any)
	if !ok || schema["type"] != "string" {
		return
	}
	if len(values) == 1 {
		delete(schema, "enum")
		schema["const"] = values[0]
		return
	}
	key := fmt.Sprint(values)
	if named[key] == "" {
		name := enumNames[of+"."+field]
		if name == "" {
			name = of + pascal(field)
		}
		named[key] = name
		d.schemas[name] = object{"type": "string", "enum": values}
	}
	delete(schema, "enum")
	delete(schema, "type")
	schema["$ref"] = schemasAt + named[key]
}
