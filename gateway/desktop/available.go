package desktop

import "github.com/windieos/windie/sdkapi"

// services returns which services there are, by what is set and installed: none is asked.
func (s *door) services() sdkapi.ServiceStates {
	there := func(provider string) sdkapi.ServiceState {
		return sdkapi.ServiceState{Available: true, Provider: provider}
	}
	missing := func(reason string) sdkapi.ServiceState { return sdkapi.ServiceState{Reason: reason} }
	out := sdkapi.ServiceStates{
		Embeddings:    missing("this gateway has no embedding model"),
		Semantic:      missing("this gateway makes no summaries"),
		Speech:        missing("nothing speaks here; whoever runs the gateway installs espeak-ng, or names a server with WINDIE_SPEECH_VOICE"),
		Transcription: missing("nothing makes text of speech here; whoever runs the gateway sets WINDIE_TRANSCRIPTION_PROVIDER"),
		Runs:          missing("runs have no key here; whoever runs the gateway sets WINDIE_RUNS_API_KEY"),
	}
	with := s.Config.Services
	if with.Embeddings != nil {
		out.Embeddings = there(with.Embeddings.Name())
		if !with.Embeddings.Installed() {
			out.Embeddings = missing("the weights of the embedding model are not installed; whoever runs the gateway runs: windie models fetch")
		}
	}
	if with.Digests != nil {
		out.Semantic = there("the user's model, and rules where there is none")
	}
	if with.Voice != nil {
		out.Speech = there(with.Voice.Name())
	}
	if with.Transcriber != nil {
		out.Transcription = there(with.Transcriber.Name())
	}
	if with.Runs != nil && s.Config.RunsKey != "" {
		out.Runs = there("workers")
	}
	return out
}
