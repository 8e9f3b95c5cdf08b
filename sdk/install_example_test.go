package sdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A program registers once, stores the answer, and uses its token from then on.
func ExampleInstall() {
	gateway := httptest.NewServer(http.HandlerFunc(hostedStandIn)) // yours is at https://windie.example
	defer gateway.Close()
	ctx := context.Background()
	stranger, err := sdk.New(gateway.URL)
	if err != nil {
		panic(err)
	}
	me, err := stranger.Install.Register(ctx, "Windows")
	if err != nil {
		panic(err)
	}
	fmt.Println("I am", me.UserID) // keep it, and me.InstallToken as a secret
	client, err := sdk.New(gateway.URL, sdk.WithToken(me.InstallToken), sdk.WithUser(me.UserID))
	if err != nil {
		panic(err)
	}
	tools, err := client.Tools.List(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(tools), "tools")
	// Output:
	// I am user_1
	// 0 tools
}

// hostedStandIn returns the responses of a hosted gateway with one user.
func hostedStandIn(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == sdkapi.InstallRegisterPath:
		fmt.Fprint(w, `{"success":true,"user_id":"user_1","install_id":"install_1","install_token":"wnd_install_1"}`)
	case strings.HasSuffix(r.Header.Get("Authorization"), "wnd_install_1") && r.Header.Get(sdkapi.UserHeader) == "user_1":
		fmt.Fprint(w, `{"tools":[]}`)
	default:
		w.WriteHeader(http.StatusUnauthorized)
	}
}
