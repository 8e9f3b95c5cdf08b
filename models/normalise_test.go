package models_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/models"
)

// text, call, result and thought make messages with one part.
func text(role models.Role, s string) models.Message {
	return models.Message{Role: role, Parts: []models.Part{{Text: s}}}
}
func call(id string) models.Message {
	return models.Message{Role: models.Assistant, Parts: []models.Part{{Call: &models.Call{ID: id, Name: "f", Arguments: json.RawMessage(`{}`)}}}}
}
func result(id, s string) models.Message {
	return models.Message{Role: models.ToolRole, Parts: []models.Part{{Result: &models.Result{CallID: id, Name: "f", Parts: []models.Part{{Text: s}}}}}}
}
func thought(provider string) models.Message {
	return models.Message{Role: models.Assistant, Parts: []models.Part{{Thought: &models.Thought{Text: "t", Provider: provider}}}}
}

// brief writes a conversation on one line.
func brief(messages []models.Message) string {
	var out []string
	for _, m := range messages {
		parts := []string{}
		for _, p := range m.Parts {
			switch {
			case p.Image != nil:
				parts = append(parts, "image")
			case p.Thought != nil:
				parts = append(parts, "thought")
			case p.Call != nil:
				parts = append(parts, "call:"+p.Call.ID)
			case p.Result != nil:
				parts = append(parts, fmt.Sprintf("%s=%s", p.Result.CallID, p.Result.Parts[0].Text))
			default:
				parts = append(parts, p.Text)
			}
		}
		out = append(out, fmt.Sprintf("%s[%s]", m.Role, strings.Join(parts, "|")))
	}
	return strings.Join(out, " ")
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	u, a := models.User, models.Assistant
	missing, opening := "(not run: no result)", "user[(earlier conversation left out)] "
	for _, tt := range []struct {
		name string
		in   []models.Message
		want string
	}{
		{"nothing", nil, ""},
		{"only empty", []models.Message{text(u, ""), {Role: a}}, ""},
		{"adjacent", []models.Message{text(u, "a"), text(u, "b"), text(a, "c"), text(a, ""), text(a, "d")}, "user[a|b] assistant[c|d]"},
		{"adjacent across an empty one", []models.Message{text(u, "a"), text(a, ""), text(u, "b")}, "user[a|b]"},
		{"a turn", []models.Message{text(u, "a"), call("1"), result("1", "x"), text(a, "b"), text(u, "c")}, "user[a] assistant[call:1] tool[1=x] assistant[b] user[c]"},
		{"two calls in two messages", []models.Message{text(u, "a"), call("1"), call("2"), result("2", "y"), result("1", "x")}, "user[a] assistant[call:1|call:2] tool[1=x|2=y]"},
		{"a result before its call", []models.Message{text(u, "a"), result("1", "x"), call("1"), text(u, "b")}, "user[a] assistant[call:1] tool[1=x] user[b]"},
		{"a result too late", []models.Message{text(u, "a"), call("1"), text(u, "b"), result("1", "x")}, "user[a] assistant[call:1] tool[1=x] user[b]"},
		{"a result of nothing", []models.Message{text(u, "a"), result("9", "x"), text(u, "b")}, "user[a|b]"},
		{"a call without a result", []models.Message{text(u, "a"), call("1"), text(u, "b")}, "user[a] assistant[call:1] tool[1=" + missing + "] user[b]"},
		{"a call at the end", []models.Message{text(u, "a"), call("1")}, "user[a] assistant[call:1] tool[1=" + missing + "]"},
		{"two results", []models.Message{text(u, "a"), call("1"), result("1", "x"), result("1", "y")}, "user[a] assistant[call:1] tool[1=x]"},
		{"one id again", []models.Message{text(u, "a"), call("1"), result("1", "x"), text(u, "b"), call("1"), result("1", "y")}, "user[a] assistant[call:1] tool[1=x] user[b] assistant[call:1] tool[1=y]"},
		{"an empty result", []models.Message{text(u, "a"), call("1"), result("1", "")}, "user[a] assistant[call:1] tool[1=(no output)]"},
		{"begins with the assistant", []models.Message{text(a, "a"), text(u, "b")}, opening + "assistant[a] user[b]"},
		{"thoughts", []models.Message{text(u, "a"), thought("test"), thought("other"), text(a, "b")}, "user[a] assistant[thought|b]"},
		{"a text among results", []models.Message{text(u, "a"), call("1"), text(models.ToolRole, "hm"), result("1", "x")}, "user[a] assistant[call:1] tool[1=x]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := brief(tt.in)
			got := models.Normalise(tt.in, "test")
			if brief(got) != tt.want {
				t.Errorf("%s:\n%s, not\n%s", tt.name, brief(got), tt.want)
			}
			if brief(tt.in) != before {
				t.Errorf("%s: what was given is now %s", tt.name, brief(tt.in))
			}
			if again := models.Normalise(got, "test"); !reflect.DeepEqual(again, got) {
				t.Errorf("%s: twice is %s", tt.name, brief(again))
			}
		})
	}
}

func TestNormaliseFitsNames(t *testing.T) {
	t.Parallel()
	id := "functions.find:0/" + strings.Repeat("x", 60)
	c := models.Message{Role: models.Assistant, Parts: []models.Part{{Call: &models.Call{ID: id, Name: "a.b " + strings.Repeat("c", 80), Arguments: json.RawMessage("oops")}}}}
	got := models.Normalise([]models.Message{text(models.User, "a"), c, result(id, "x")}, "test")
	made, answered := got[1].Parts[0].Call, got[2].Parts[0].Result
	if len(made.ID) > 40 || strings.Trim(made.ID, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || answered.CallID != made.ID || answered.Parts[0].Text != "x" {
		t.Errorf("%+v has the result %+v", made, answered)
	}
	if made.Name != "a_b_"+strings.Repeat("c", 60) || answered.Name != made.Name {
		t.Errorf("the name is %q", made.Name)
	}
	if written, invalid := made.Invalid(); !invalid || written != "oops" {
		t.Errorf("the arguments are %s", made.Arguments)
	}
}
