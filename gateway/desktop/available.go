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

// services returns the state of each service, with a reason for each that is missing. The reasons
// tell the operator how to enable it.
func services(app gateway.App) sdkapi.ServiceStates {
	there := func(provider string) sdkapi.ServiceState {
		return sdkapi.ServiceState{Available: true, Provider: provider}
	}
	missing := func(reason string) sdkapi.ServiceState { return sdkapi.ServiceState{Reason: reason} }
	out := sdkapi.ServiceStates{
		Embeddings:    missing("this gateway has no embedding model; its operator can set one with WINDIE_EMBEDDINGS_BACKEND"),
		Semantic:      missing("this gateway has no summary service"),
		Speech:        missing("this gateway has no voice; its operator can install espeak-ng or set WINDIE_SPEECH_VOICE"),
		Transcription: missing("this gateway has no speech recognition; its operator can set WINDIE_TRANSCRIPTION_PROVIDER"),
		Runs:          missing("runs are disabled on this gateway; its operator can set WINDIE_RUNS_API_KEY"),
	}
	if app.Embeddings != nil {
		out.Embeddings = there(app.Embeddings.Name())
		if !app.Embeddings.Installed() {
			out.Embeddings = missing("the weights of the embedding model are not installed; the gateway's operator can run: windie models fetch")
		}
	}
	if app.Digests != nil {
		out.Semantic = there("the user's model, or rules if the user has none")
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
