package egress_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"

	"github.com/windieos/windie/internal/egress"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "you are "+r.Header.Get("X-Api-Key"))
	}))
	defer server.Close()
	here := netip.MustParseAddrPort(server.Listener.Addr().String())

	client, err := egress.New(egress.Config{
		Rules: []egress.Rule{{
			Host:    fmt.Sprintf("api.internal:%d", here.Port()),
			Schemes: []string{"http"},
			Path:    "/v1",
			Private: true,
			Secrets: []egress.Secret{{Name: "api", In: egress.Header, Key: "X-Api-Key"}},
		}},
		Secret:   func(string) (string, bool) { return "0123456789", true },
		Resolver: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{here.Addr()}, nil },
	})
	if err != nil {
		panic(err)
	}
	defer client.Close()

	session := client.Session()
	reply, err := session.Do(context.Background(), egress.Request{URL: fmt.Sprintf("http://api.internal:%d/v1/me", here.Port())})
	fmt.Printf("%d %s %v\n", reply.Status, reply.Body, err)

	_, err = session.Do(context.Background(), egress.Request{Method: "POST", URL: "https://api.example.com/v1/items"})
	var refused *egress.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason, "-", refused.Fault.Message)
		fmt.Println(refused.Hint)
	}
	fmt.Println(len(session.Attempts()), "attempts")
	// Output:
	// 200 you are [redacted] <nil>
	// denied - the grant has no rule for api.example.com
	// {"host":"api.example.com","path":"/v1/items","methods":["POST"]}
	// 2 attempts
}
