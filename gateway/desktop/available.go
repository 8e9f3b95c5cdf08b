package desktop

import (
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// servicesOf returns a function that lists the available services. It looks at settings and
// installed programs and contacts no service.
func servicesOf(app gateway.App) func() sdkapi.ServiceStates {
	return func() sdkapi.ServiceStates { return services(app) }
}

func services(app gateway.App) sdkapi.ServiceStates {
	there := func(provider string) sdkapi.ServiceState {
		return sdkapi.ServiceState{Available: true, Provider: provider}
	}
	missing := func(reason string) sdkapi.ServiceState { return sdkapi.ServiceState{Reason: reason} }
	out := sdkapi.ServiceStates{
		Embeddings:    missing("this gateway has no embedding model"),
		Semantic:      missing("this gateway makes no summaries"),
		Speech:        missing("nothing speaks here; whoever runs the gateway installs espeak-ng, or names a server with WINDIE_SPEECH_VOICE"),
		Transcription: missing("nothing makes text of speech here; whoever runs the gateway sets WINDIE_TRANSCRIPTION_PROVIDER"),
		Runs:          missing("runs are disabled: set WINDIE_RUNS_API_KEY, then restart the gateway"),
	}
	if app.Embeddings != nil {
		out.Embeddings = there(app.Embeddings.Name())
		if !app.Embeddings.Installed() {
			out.Embeddings = missing("the weights of the embedding model are not installed; whoever runs the gateway runs: windie models fetch")
		}
	}
	if app.Digests != nil {
		out.Semantic = there("the user's model, and rules where there is none")
	}
	if app.Voice != nil {
		out.Speech = there(app.Voice.Name())
	}
	if app.Transcriber != nil {
		out.Transcription = there(app.Transcriber.Name())
	}
	if app.Runs != nil && app.RunsKey != "" {
		out.Runs = there("workers")
	}
	return out
}
