package toolhost

import (
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/sdkapi"
)

// Each limit of a message, at its edge and beyond.
func TestCheckLimits(t *testing.T) {
	t.Parallel()
	negative := int64(-1)
	images := func(n int) []sdkapi.ImageSource { return make([]sdkapi.ImageSource, n) }
	for name, tt := range map[string]struct {
		message sdkapi.AgentClientMessage
		wrong   string // field; empty if it is fine
	}{
		"a version":             {sdkapi.AgentClientMessage{ClientVersion: strings.Repeat("x", sdkapi.MaxAgentVersion)}, ""},
		"a longer version":      {sdkapi.AgentClientMessage{ClientVersion: strings.Repeat("x", sdkapi.MaxAgentVersion+1)}, "clientVersion"},
		"a client's id":         {sdkapi.AgentClientMessage{ClientID: strings.Repeat("x", sdkapi.MaxAgentClientID)}, ""},
		"a longer id":           {sdkapi.AgentClientMessage{ClientID: strings.Repeat("x", sdkapi.MaxAgentClientID+1)}, "clientId"},
		"a message's id":        {sdkapi.AgentClientMessage{MessageID: strings.Repeat("x", sdkapi.MaxAgentClientID)}, ""},
		"a longer message's id": {sdkapi.AgentClientMessage{MessageID: strings.Repeat("x", sdkapi.MaxAgentClientID+1)}, "messageId"},
		"a root":                {sdkapi.AgentClientMessage{WorkspaceRoot: "/" + strings.Repeat("x", sdkapi.MaxAgentRoot-1)}, ""},
		"a longer root":         {sdkapi.AgentClientMessage{WorkspaceRoot: "/" + strings.Repeat("x", sdkapi.MaxAgentRoot)}, "workspaceRoot"},
		"images":                {sdkapi.AgentClientMessage{Images: images(sdkapi.MaxAgentImages)}, ""},
		"more images":           {sdkapi.AgentClientMessage{Images: images(sdkapi.MaxAgentImages + 1)}, "images"},
		"a long text":           {sdkapi.AgentClientMessage{Content: strings.Repeat("ä", sdkapi.MaxPromptInput)}, ""},
		"a longer text":         {sdkapi.AgentClientMessage{Content: strings.Repeat("ä", sdkapi.MaxPromptInput+1)}, "content"},
		"gateway's tools":       {sdkapi.AgentClientMessage{GatewayTools: equal(turns.MaxWSTools, "ocr_*")}, ""},
		"more gateway's tools":  {sdkapi.AgentClientMessage{GatewayTools: equal(turns.MaxWSTools+1, "ocr_*")}, "gatewayTools"},
		"an empty tool":         {sdkapi.AgentClientMessage{GatewayTools: []string{""}}, "gatewayTools"},
		"before the beginning":  {sdkapi.AgentClientMessage{AfterSeq: &negative}, "afterSeq"},
		"a system":              {sdkapi.AgentClientMessage{System: "Linux\n"}, "operatingSystem"},
		"all extensions":        {sdkapi.AgentClientMessage{Accept: sdkapi.AgentExtensions()}, ""},
		"no extension":          {sdkapi.AgentClientMessage{Accept: []string{"tool.call"}}, "accept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := check(tt.message)
			if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong+":") {
				t.Errorf("%v", err)
			}
		})
	}
}

// equal returns a list of n equal texts.
func equal(n int, text string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = text
	}
	return list
}

// Which workspace roots are taken: absolute ones of each system, in their shortest form.
func TestRoots(t *testing.T) {
	t.Parallel()
	for root, fine := range map[string]bool{
		"": true, "/": true, "/home/ada": true, "/home/ada/": true, `/home/a\..\b`: true, `C:\Users\ada`: true, "C:/Users/ada": true, `\\server\share\x`: true,
		"home": false, "./home": false, "/home/../etc": false, "/home/./ada": false, "/home//ada": false, `C:\Users\..\x`: false, "C:x": false, "/a\x00b": false, "/a\nb": false, "~/x": false,
	} {
		t.Run(strings.ReplaceAll(root, "/", "∕"), func(t *testing.T) {
			t.Parallel()
			if why := wrongRoot(root); (why == "") != fine {
				t.Errorf("%q: %q", root, why)
			}
		})
	}
}
