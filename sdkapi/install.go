package sdkapi

// InstallRegisterPath issues a token by POST to a client without one. It is the only route below
// /api that a hosted gateway serves without a token.
const InstallRegisterPath = "/api/install/register"

// InstallRequest registers an install: one copy of a client program.
type InstallRequest struct {
	OperatingSystem string `json:"operating_system" maxLength:"64" pattern:"^[ -~]*$" patternDescription:"printable ASCII" doc:"What the client runs on, for lists that people read." example:"Windows"`
}

// InstallRegistration is the new identity of a client.
type InstallRegistration struct {
	Success      bool   `json:"success" doc:"Always true: failures are errors."`
	UserID       string `json:"user_id" doc:"The user that the install acts for; what to send as X-User-Id." example:"user_k3tqz7p5n2vbdr4wxh6mceyjua"`
	InstallID    string `json:"install_id" doc:"What the operator calls the install." example:"install_h5yq2bn7dkzr4txwm3vcpeju6a"`
	InstallToken string `json:"install_token" doc:"What to bring with each request, as Authorization: Bearer. It is not told again." example:"wnd_install_…"`
}
