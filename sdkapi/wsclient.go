package sdkapi

import "encoding/json"

// WSHandshakeType is the type of WSHandshake.
const WSHandshakeType = "handshake"

// WSToolResultPayload is the payload of WSToolResult.
type WSToolResultPayload struct {
	RequestID string      `json:"request_id" doc:"The request_id of the tool-call."`
	Success   bool        `json:"success" doc:"Whether the tool succeeded."`
	Data      *WSToolData `json:"data,omitempty"`
	Error     *string     `json:"error,omitempty" doc:"Reason for the failure."`
	_         struct{}    `json:"-" additionalProperties:"true"`
}

// WSScreenAfter shows the client's screen after a tool ran.
type WSScreenAfter struct {
	ScreenshotRef string          `json:"screenshot_ref,omitempty" doc:"Artifact with a screenshot of the screen."`
	Screenshot    string          `json:"screenshot,omitempty" doc:"The screenshot as base64 or a data URL, instead of screenshot_ref."`
	SystemState   json.RawMessage `json:"system_state,omitempty" doc:"State of the machine, for example active_window and mouse_position."`
}

// WSToolData is the output of a tool.
type WSToolData struct {
	Output any `json:"output,omitempty" doc:"Output of the tool: text, or any JSON."`
	WSScreenAfter
	_ struct{} `json:"-" additionalProperties:"true"`
}

// WSToolBundleResultPayload is the payload of WSToolBundleResult.
type WSToolBundleResultPayload struct {
	BundleID string `json:"bundle_id" doc:"The id of the tool-bundle."`
	Status   string `json:"status" enum:"success,partial_failure,failure"`
	WSScreenAfter
	StepResults []WSStepResult `json:"step_results,omitempty" doc:"Results of the executed steps, in order. Absent if no step ran."`
	Error       *string        `json:"error,omitempty"`
	_           struct{}       `json:"-" additionalProperties:"true"`
}

// WSStepResult is the result of one step of a bundle.
type WSStepResult struct {
	Tool   string   `json:"tool"`
	Status string   `json:"status" enum:"ok,error"`
	Output any      `json:"output,omitempty" doc:"Output of the tool: text, or any JSON."`
	Error  string   `json:"error,omitempty"`
	_      struct{} `json:"-" additionalProperties:"true"`
}

// WSApprovalDecisionPayload is the payload of WSApprovalDecision.
type WSApprovalDecisionPayload struct {
	RequestID  string          `json:"request_id" doc:"The request_id of the approval-request."`
	Approved   bool            `json:"approved"`
	Reason     string          `json:"reason,omitempty" doc:"Reason for a denial, shown to the model."`
	Parameters json.RawMessage `json:"parameters,omitempty" doc:"Arguments that replace the original ones."`
}

// WSResumePayload is the payload of WSResume. It asks for the messages of a conversation after a
// seq.
type WSResumePayload struct {
	ConversationRef string `json:"conversation_ref"`
	Seq             int64  `json:"seq" minimum:"0" doc:"seq of the last message that the client received; 0 for all messages."`
}

// WSCancelPayload is the payload of WSCancel.
type WSCancelPayload struct {
	ConversationRef string `json:"conversation_ref"`
	QueryID         string `json:"query_id,omitempty" doc:"Id of the query to cancel. Its running turn ends, or its queued message is discarded. Without an id, the open turn is canceled."`
}

// WSNothing is the empty payload of messages that have only a type.
type WSNothing struct{}

// WSContentPayload is the payload of WSSystemPrompt.
type WSContentPayload struct {
	Content string `json:"content"`
}

// WSGreetingPayload is the payload of WSWakewordGreeting.
type WSGreetingPayload struct {
	Text string `json:"text"`
}

// WSCompletePayload is the payload of WSStreamingComplete.
type WSCompletePayload struct {
	FinalResponse string `json:"final_response,omitempty"`
}

// WSSettingsLoadedPayload is the payload of WSSettingsLoaded.
type WSSettingsLoadedPayload struct {
	Config WSSettings `json:"config"`
}

// WSSettingsUpdatedPayload is the payload of WSSettingsUpdated.
type WSSettingsUpdatedPayload struct {
	UpdatedKeys []string `json:"updated_keys"`
}

// WSSettingsChange is the payload of WSUpdateSettings: the settings to change.
type WSSettingsChange struct {
	ModelMode                string                   `json:"model_mode,omitempty" enum:"online,local"`
	ModelProvider            string                   `json:"model_provider,omitempty"`
	SelectedModelID          string                   `json:"selected_model_id,omitempty"`
	InteractionMode          string                   `json:"interaction_mode,omitempty" enum:"chat,agent"`
	SpeechModeEnabled        *bool                    `json:"speech_mode_enabled,omitempty"`
	WakewordEnabled          *bool                    `json:"wakeword_enabled,omitempty"`
	WakewordSTTEnabled       *bool                    `json:"wakeword_stt_enabled,omitempty"`
	BrowserAutomationEnabled *bool                    `json:"browser_automation_enabled,omitempty"`
	IncludeQueryScreenshot   *bool                    `json:"include_query_screenshot,omitempty"`
	ProviderAPIKeys          map[string]WSProviderKey `json:"provider_api_keys,omitempty"`
	Policy                   []WSPolicyRule           `json:"policy,omitempty" doc:"Rules that replace the previous list. If they are absent, the list does not change."`
}

// WSResyncPayload is the payload of WSResync.
type WSResyncPayload struct {
	Seq int64 `json:"seq" doc:"The gateway no longer stores the messages up to and including this seq."`
}
