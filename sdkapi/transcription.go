package sdkapi

// TranscriptionPath is the path of the WebSocket (RFC 6455) that turns speech into text. A client
// sends sound as binary messages of three parts: the length of the metadata in four bytes, little
// endian; the metadata as JSON, for example {"sampleRate":16000}; and the sound as PCM of 16 bits,
// little endian, one channel.
const TranscriptionPath = "/ws/transcription"

// Bounds of the WebSocket for transcription.
const (
	// MaxTranscriptionMessage bounds a message at /ws/transcription, in bytes; beyond it: close code 1009.
	MaxTranscriptionMessage = 1 << 20
	// The gateway closes a connection if the client sends nothing for this number of seconds.
	TranscriptionReceiveTimeoutSecs = 600
)

// Messages from a client, besides sound.
const (
	TranscriptionSetLangs  = "set_langs"
	TranscriptionStartOver = "start_over" // asks the gateway to discard all sound that is not yet transcribed
)

// Messages to a client.
const (
	TranscriptionStatus       = "status"
	TranscriptionRealtime     = "realtime"
	TranscriptionUtteranceEnd = "utterance_end"
	TranscriptionFailure      = "error"
)

// TranscriptionControl is a message from a client that controls the transcription. Its type is
// set_langs or start_over. Sound is sent in binary messages instead.
type TranscriptionControl struct {
	Type string `json:"type"`
	// for set_langs: the spoken language, for example "en"; empty: any
	SourceLanguage string `json:"source_language,omitempty"`
	// for set_langs: the language into which a Nova gateway translates
	TargetLanguage string `json:"target_language,omitempty"`
}

// TranscriptionStatusMessage is the gateway's first message. The gateway sends it again after
// set_langs.
type TranscriptionStatusMessage struct {
	Type           string `json:"type"`
	ClientID       string `json:"client_id"` // id of the connection, 32 hexadecimal digits
	SourceLanguage string `json:"source_language,omitempty"`
	TargetLanguage string `json:"target_language,omitempty"`
}

// TranscriptionRealtimeMessage holds the text of the current utterance so far. Until IsFinal is
// true, the next message replaces the text.
type TranscriptionRealtimeMessage struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Translation string `json:"translation,omitempty"` // only from a Nova gateway
	IsFinal     bool   `json:"is_final"`
}

// TranscriptionEndMessage reports the end of an utterance.
type TranscriptionEndMessage struct {
	Type string `json:"type"`
}

// TranscriptionErrorMessage reports a problem. The connection stays open, unless a close frame
// follows.
type TranscriptionErrorMessage struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Code    Code   `json:"code"`
}
