// Command guest is the plugin that the tests of wasmtools call. It has a tool for each thing that a
// guest may do or request. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o guest.wasm .
package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/windieos/windie/sdk/plugin/go"
)

type empty struct{}

type text struct {
	Text string `json:"text,omitempty"`
}

type number struct {
	N int `json:"n,omitempty"`
}

type answer struct {
	Text string `json:"text"`
	N    int    `json:"n"`
}

// left is the state that calls leave.
var left struct {
	count int
	texts []string
}

func init() {
	plugin.Describe("guest", "1.2.3", "Does as it is told.")
	plugin.Tool("echo", "Says what it is told.", func(in text) (answer, error) { return answer{in.Text, len(in.Text)}, nil })
	plugin.Tool("leave", "Remembers a text, and says what it remembers.", func(in text) (answer, error) {
		left.count++
		left.texts = append(left.texts, in.Text)
		return answer{strings.Join(left.texts, ","), left.count}, nil
	})
	plugin.Tool("fail", "Fails with a text.", func(in text) (empty, error) { return empty{}, errors.New(in.Text) })
	plugin.Tool("panic", "Panics with a text.", func(in text) (empty, error) { panic(in.Text) })
	plugin.Tool("exit", "Exits with a code.", func(in number) (empty, error) { os.Exit(in.N); return empty{}, nil })
	plugin.Tool("spin", "Works for ever.", func(empty) (empty, error) {
		for i := 0; ; i++ {
			left.count += i
		}
	})
	plugin.Tool("sleep", "Sleeps for milliseconds.", func(in number) (answer, error) {
		time.Sleep(time.Duration(in.N) * time.Millisecond)
		return answer{"slept", in.N}, nil
	})
	plugin.Tool("hold", "Holds megabytes.", func(in number) (answer, error) {
		held := make([]byte, in.N<<20)
		for i := 0; i < len(held); i += 4096 {
			held[i] = 1
		}
		return answer{"held", len(held)}, nil
	})
	plugin.Tool("recurse", "Calls itself.", func(in number) (answer, error) { return answer{"deep", deep(in.N)}, nil })
	plugin.Tool("say", "Answers with kilobytes.", func(in number) (string, error) { return strings.Repeat("x", in.N<<10), nil })
	plugin.Tool("log", "Logs lines.", func(in number) (empty, error) {
		for range in.N {
			plugin.Log(2, "a line")
		}
		return empty{}, nil
	})
	plugin.Tool("print", "Prints to standard error.", func(in text) (empty, error) {
		_, err := os.Stderr.WriteString(in.Text)
		return empty{}, err
	})
	plugin.Tool("config", "Reads a setting.", func(in text) (answer, error) {
		value, _, err := plugin.Config(in.Text)
		return answer{value, 0}, err
	})
	plugin.Tool("env", "Reads a variable.", func(in text) (answer, error) { return answer{os.Getenv(in.Text), 0}, nil })
	plugin.Tool("read", "Reads a file.", func(in text) (answer, error) {
		data, err := os.ReadFile(in.Text)
		return answer{string(data), len(data)}, err
	})
	plugin.Tool("remember", "Counts calls in its store.", func(in text) (answer, error) {
		was, _, err := plugin.Store{}.Get("texts")
		if err == nil {
			err = plugin.Store{}.Set("texts", append(was, in.Text...))
		}
		return answer{string(was), len(was)}, err
	})
	plugin.Tool("user", "Says whom the call is for.", func(empty) (answer, error) {
		id, err := plugin.User()
		return answer{id, 0}, err
	})
	plugin.Tool("get", "Fetches a page.", func(in text) (answer, error) {
		res, err := plugin.HTTP(plugin.Request{URL: in.Text})
		return answer{string(res.Body), res.Status}, err
	})
	plugin.Tool("ask", "Calls another tool.", func(in text) (plugin.Result, error) {
		return plugin.CallTool(in.Text, map[string]string{"text": "asked"})
	})
	plugin.Tool("now", "Tells the time.", func(empty) (answer, error) {
		now, err := plugin.Now()
		return answer{now.UTC().Format(time.RFC3339Nano), int(time.Now().Unix())}, err
	})
	plugin.Tool("random", "Draws bytes.", func(in number) (answer, error) {
		b, err := plugin.Random(in.N)
		return answer{string(rune('a' + len(b)%26)), len(b)}, err
	})
}

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + deep(n-1)
}

func main() { plugin.Main() }
