package docs

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/sdkapi"
)

// errorResponse is the name of the shared response to which all operations refer. Generators make types of
// responses and schemas alike, so that no schema may have this name.
const errorResponse = "Failure"

// openAIPaths is the start of the paths that OpenAI's clients call.
const openAIPaths = "/openai/"

// shareErrors replaces the error responses of all operations with references to shared responses, because
// all have the same envelope. 409 and 429 stay separate, because programs react to them. The field
// x-statuses lists the statuses of an operation.
func (d *document) shareErrors() {
	components := at(d.object, "components")
	envelope := object{fiber.MIMEApplicationJSON: object{"schema": ref("ErrorResponse")}}
	components["responses"] = object{
		errorResponse: object{"description": "A failure. error.code says which; x-statuses of the operation lists the statuses.", "content": envelope},
		"Conflict":    object{"description": "It cannot be done as things are: error.details has what there is to choose from, or what is in the way.", "content": envelope},
		"TooMany":     object{"description": "Too much was asked for. Retry-After says when to ask again.", "content": envelope},
	}
	for path, op := range d.operations {
		responses := at(op, "responses")
		own := strings.HasPrefix(path, openAIPaths) // the path's errors have OpenAI's format
		var statuses []any
		for _, status := range slices.Sorted(maps.Keys(responses)) {
			if n, err := strconv.Atoi(status); err != nil || n >= http.StatusBadRequest {
				if err == nil {
					statuses = append(statuses, n)
				}
				if !own {
					delete(responses, status)
				}
			}
		}
		if len(statuses) > 0 {
			op["x-statuses"] = statuses
		}
		if own {
			continue
		}
		share := func(status, name string) { responses[status] = object{"$ref": "#/components/responses/" + name} }
		share("default", errorResponse)
		if slices.Contains(statuses, any(http.StatusConflict)) {
			share(strconv.Itoa(http.StatusConflict), "Conflict")
		}
		share(strconv.Itoa(http.StatusTooManyRequests), "TooMany")
	}
	d.listCodes()
}

// listCodes adds the schema of error codes. The schema also allows other strings, because a newer gateway may
// have more codes.
func (d *document) listCodes() {
	codes := sdkapi.Codes()
	slices.Sort(codes)
	list := make([]any, len(codes))
	for i, code := range codes {
		list[i] = string(code)
	}
	d.schemas["ErrorCode"] = object{
		"description": "What kind of failure this is; programs branch on it. A newer gateway may have others.",
		"anyOf":       []any{object{"type": "string", "enum": list}, object{"type": "string"}},
	}
	for _, name := range []string{"Error", "PromptError", "V1Error", "WSErrorPayload"} {
		if code := at(d.schemas, name, "properties", "code"); code != nil {
			at(d.schemas, name, "properties")["code"] = ref("ErrorCode")
		}
	}
}

// headers are the response headers, by their names in components.
var headers = object{
	"RequestId":          header("The id of the request, also in the gateway's log.", object{"type": "string"}),
	"RetryAfter":         header("After how many seconds to ask again.", object{"type": "integer", "minimum": 0}),
	"RateLimitLimit":     header("How much may be asked for in a minute, where that is limited.", object{"type": "integer"}),
	"RateLimitRemaining": header("How much of that is left.", object{"type": "integer"}),
	"RateLimitReset":     header("In how many seconds there is all of it again.", object{"type": "integer"}),
	"Replayed":           header("true, where the answer was given before to a request with the same Idempotency-Key.", object{"type": "string"}),
	"ETag":               header("The SHA-256 of the file, in quotes.", object{"type": "string"}),
}

// header returns the description of a response header.
func header(description string, schema object) object {
	return object{"description": description, "schema": schema}
}

// always are the headers of every response: header name to name in components.
var always = map[string]string{
	"X-Request-Id": "RequestId", "RateLimit-Limit": "RateLimitLimit", "RateLimit-Remaining": "RateLimitRemaining", "RateLimit-Reset": "RateLimitReset",
}

// describeHeaders describes the response headers that programs read.
func (d *document) describeHeaders() {
	components := at(d.object, "components")
	components["headers"] = maps.Clone(headers)
	add := func(response object, names map[string]string) {
		list := at(response, "headers")
		if list == nil {
			list = object{}
			response["headers"] = list
		}
		for name, shared := range names {
			for has := range list {
				if strings.EqualFold(has, name) {
					delete(list, has)
				}
			}
			list[name] = object{"$ref": "#/components/headers/" + shared}
		}
	}
	for _, shared := range at(components, "responses") {
		add(shared.(object), always)
		add(shared.(object), map[string]string{fiber.HeaderRetryAfter: "RetryAfter"})
	}
	for _, op := range d.operations {
		for _, response := range at(op, "responses") {
			if r, _ := response.(object); r != nil && r["$ref"] == nil {
				add(r, always)
				if takesKey(op) {
					add(r, map[string]string{sdkapi.ReplayedHeader: "Replayed"})
				}
				if content := at(r, "content"); content["*/*"] != nil {
					content[fiber.MIMEOctetStream] = content["*/*"]
					delete(content, "*/*")
					add(r, map[string]string{fiber.HeaderETag: "ETag"})
				}
			}
		}
	}
}

// takesKey reports whether an operation accepts an Idempotency-Key.
func takesKey(op object) bool {
	parameters, _ := op["parameters"].([]any)
	return slices.ContainsFunc(parameters, func(p any) bool {
		parameter, _ := p.(object)
		return parameter["name"] == sdkapi.IdempotencyKeyHeader
	})
}
