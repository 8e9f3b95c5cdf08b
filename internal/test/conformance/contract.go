package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// contract is what a gateway's API document says of its operations.
type contract struct{ routes []route }

// route is one operation.
type route struct {
	method   string
	segments []string       // of its path; "{name}" for a parameter
	op       string         // x-sdk
	fields   map[string]any // of its body, with their defaults; nil if the document does not list them
}

// readContract asks a gateway for its API document.
func readContract(ctx context.Context, client http.RoundTripper, gateway string) (*contract, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, gateway+"/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		return nil, fault.New("conformance", sdkapi.Internal, "%s does not answer: start a gateway there, or leave --url out", gateway)
	}
	defer resp.Body.Close()
	var doc document
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil || len(doc.Paths) == 0 {
		return nil, fault.New("conformance", sdkapi.Internal, "%s/openapi.json is no API document of a gateway", gateway)
	}
	c := new(contract)
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.SDK != "" && !strings.HasPrefix(op.ID, "invoke-tool-") { // those of one tool each are tools.invoke too
				c.routes = append(c.routes, route{strings.ToUpper(method), strings.Split(path, "/"), op.SDK, doc.fieldsOf(op.Body.Content["application/json"].Schema)})
			}
		}
	}
	return c, nil
}

// document is what is read of an API document.
type document struct {
	Paths map[string]map[string]struct {
		ID   string `json:"operationId"`
		SDK  string `json:"x-sdk"`
		Body struct {
			Content map[string]struct {
				Schema schema `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

// schema is what is read of one in an API document.
type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]struct {
		Default any `json:"default"`
	} `json:"properties"`
}

// fieldsOf returns the fields of a body with their defaults.
func (d *document) fieldsOf(s schema) map[string]any {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		s = d.Components.Schemas[name]
	}
	if s.Properties == nil {
		return nil
	}
	fields := map[string]any{}
	for name, of := range s.Properties {
		fields[name] = of.Default
	}
	return fields
}

// find returns the operation of a request, and the parameters of its path.
func (c *contract) find(method, path string) (op *route, params map[string]string) {
	segments, best := strings.Split(path, "/"), -1
	for i := range c.routes {
		found, literal := c.routes[i].match(method, segments)
		if found != nil && literal > best {
			op, params, best = &c.routes[i], found, literal
		}
	}
	return op, params
}

// match returns the parameters of a path that is the route's, and how many of its segments have no parameter.
func (r route) match(method string, segments []string) (params map[string]string, literal int) {
	if r.method != method || len(r.segments) != len(segments) {
		return nil, 0
	}
	params = map[string]string{}
	for i, want := range r.segments {
		got, err := url.PathUnescape(segments[i])
		switch {
		case err != nil:
			return nil, 0
		case strings.HasPrefix(want, "{") && got != "":
			params[strings.Trim(want, "{}")] = got
		case want == got:
			literal++
		default:
			return nil, 0
		}
	}
	return params, literal
}
