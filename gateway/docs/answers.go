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

// errorResponse is the response of components that all failures refer to.
const errorResponse = "Error"

// openAIPaths are those of routes that OpenAI's own clients call.
const openAIPaths = "/openai/"

// shareErrors has one description of failures for all operations: the same envelope, whatever the status.
// 409 and 429 stay by themselves, as programs act on them; x-statuses lists which statuses there are.
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
		own := strings.HasPrefix(path, openAIPaths) // these failures have OpenAI's form
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

// listCodes lists the codes of failures, of which a newer gateway may have more.
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

// Headers that answers have, by their names in components.
var headers = object{
	"RequestId":          header("The id of the request, also in the gateway's log.", object{"type": "string"}),
	"RetryAfter":         header("After how many seconds to ask again.", object{"type": "integer", "minimum": 0}),
	"RateLimitLimit":     header("How much may be asked for in a minute, where that is limited.", object{"type": "integer"}),
	"RateLimitRemaining": header("How much of that is left.", object{"type": "integer"}),
	"RateLimitReset":     header("In how many seconds there is all of it again.", object{"type": "integer"}),
	"Replayed":           header("true, where the answer was given before to a request with the same Idempotency-Key.", object{"type": "string"}),
	"ETag":               header("The SHA-256 of the file, in quotes.", object{"type": "string"}),
}

func header(description string, schema object) object {
	return object{"description": description, "schema": schema}
}

// always are the headers of each answer.
var always = map[string]string{
	"X-Request-Id": "RequestId", "RateLimit-Limit": "RateLimitLimit", "RateLimit-Remaining": "RateLimitRemaining", "RateLimit-Reset": "RateLimitReset",
}

// describeHeaders describes the headers of answers that programs read.
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

// takesKey reports whether an operation takes an Idempotency-Key.
func takesKey(op object) bool {
	parameters, _ := op["parameters"].([]any)
	return slices.ContainsFunc(parameters, func(p any) bool {
		parameter, _ := p.(object)
		return parameter["name"] == sdkapi.IdempotencyKeyHeader
	})
}
