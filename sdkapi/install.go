package sdkapi

// InstallRegisterPath is the route at which a client without a token gets a token, by POST. It is
// the only route below /api that a hosted gateway serves without a token.
const InstallRegisterPath = "/api/install/register"

// InstallRequest registers an install: one copy of a client program.
type InstallRequest struct {
	OperatingSystem string `json:"operating_system" maxLength:"64" pattern:"^[ -~]*$" patternDescription:"printable ASCII" doc:"Operating system of the client, shown in lists." example:"Windows"`
}

// InstallRegistration is the new identity of a client.
type InstallRegistration struct {
	Success      bool   `json:"success" doc:"Always true. A failed registration returns an error instead."`
	UserID       string `json:"user_id" doc:"The user of the install. Send it as X-User-Id." example:"user_k3tqz7p5n2vbdr4wxh6mceyjua"`
	InstallID    string `json:"install_id" doc:"Id of the install, for the operator." example:"install_h5yq2bn7dkzr4txwm3vcpeju6a"`
	InstallToken string `json:"install_token" doc:"Token to send with each request as Authorization: Bearer. It is shown only once." example:"wnd_install_…"`
}
