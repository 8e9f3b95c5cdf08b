// Command recorded asks the gateway for a bit of everything in one call, and
// answers with what depends on each. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o recorded.wasm .
package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/windieos/windie/sdk/plugin/go"
)

type args struct {
	URL string `json:"url"`
}

type answer struct {
	Page   string   `json:"page"`
	Before string   `json:"before"`
	Keys   []string `json:"keys"`
	Asked  string   `json:"asked"`
	Time   string   `json:"time"`
	Took   int64    `json:"took"`
	Drawn  string   `json:"drawn"`
	Order  string   `json:"order"`
	Denied string   `json:"denied"`
}

func init() {
	plugin.Describe("recorded", "1.0.0", "Asks for a bit of everything.")
	plugin.Tool("ask", "Asks for a bit of everything.", ask)
}

func ask(in args) (a answer, err error) {
	started := time.Now()
	greeting, _, _ := plugin.Config("greeting")
	page, err := plugin.HTTP(plugin.Request{URL: in.URL, Method: "POST", Body: []byte(greeting)})
	if err != nil {
		return a, err
	}
	before, _, err := plugin.Store{}.Get("last")
	if err == nil {
		err = plugin.Store{}.Set("last", append([]byte{0xff}, page.Body...))
	}
	if err == nil {
		a.Keys, err = plugin.Store{}.List("l", "", 10)
	}
	if err != nil {
		return a, err
	}
	other, err := plugin.CallTool("other.say", map[string]string{"text": "<ä>"})
	_, denied := plugin.CallTool("other.secret", nil)
	drawn, _ := plugin.Random(8)
	a.Page, a.Before, a.Asked = string(page.Body), string(before), string(other.Structured)
	a.Time, a.Took = started.UTC().Format(time.RFC3339Nano), int64(time.Since(started))
	a.Drawn = fmt.Sprintf("%x %x", drawn, rand.Uint64())
	a.Order, a.Denied = order(), denied.Error()
	return a, err
}

// order is that of a map, which differs from run to run.
func order() string {
	m := map[int]bool{}
	for i := range 50 {
		m[i] = true
	}
	var b strings.Builder
	for i := range m {
		fmt.Fprint(&b, i, " ")
	}
	return b.String()
}

func main() { plugin.Main() }
