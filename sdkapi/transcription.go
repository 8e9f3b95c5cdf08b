package sdkapi

// TranscriptionPath is where the WebSocket is at which speech becomes text (RFC 6455). A client sends sound as binary
// messages: four bytes, little endian, with the length of the metadata; the metadata, JSON as {"sampleRate":16000}; PCM of
// 16 bits, little endian, one channel.
const TranscriptionPath = "/ws/transcription"

// Bounds of the WebSocket for transcription.
const (
	// MaxTranscriptionMessage bounds a message at /ws/transcription, in bytes; beyond it: close code 1009.
	MaxTranscriptionMessage         = 1 << 20
	TranscriptionReceiveTimeoutSecs = 600 // a connection that sends nothing for so long is closed
)

// What a client sends besides sound.
const (
	TranscriptionSetLangs  = "set_langs"
	TranscriptionStartOver = "start_over" // forget all sound of which there is no text yet
)

// What it is sent.
const (
	TranscriptionStatus       = "status"
	TranscriptionRealtime     = "realtime"
	TranscriptionUtteranceEnd = "utterance_end"
	TranscriptionFailure      = "error"
)

// TranscriptionControl is a message of the client's that is no sound.
type TranscriptionControl struct {
	Type           string `json:"type"`
	SourceLanguage string `json:"source_language,omitempty"` // of set_langs: what is spoken, as "en"; empty: any
	TargetLanguage string `json:"target_language,omitempty"` // likewise: what a Nova gateway translates into
}

// TranscriptionStatusMessage is sent first, and again after set_langs.
type TranscriptionStatusMessage struct {
	Type           string `json:"type"`
	ClientID       string `json:"client_id"` // of the connection, 32 hexadecimal digits
	SourceLanguage string `json:"source_language,omitempty"`
	TargetLanguage string `json:"target_language,omitempty"`
}

// TranscriptionRealtimeMessage is the text of the utterance that is said, from its beginning. Until it is final, the next
// one replaces it.
type TranscriptionRealtimeMessage struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Translation string `json:"translation,omitempty"` // of a Nova gateway
	IsFinal     bool   `json:"is_final"`
}

// TranscriptionEndMessage says that an utterance is over.
type TranscriptionEndMessage struct {
	Type string `json:"type"`
}

// TranscriptionErrorMessage says what is wrong. The connection stays open, or says in its close frame that it does not.
type TranscriptionErrorMessage struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Code    Code   `json:"code"`
}
