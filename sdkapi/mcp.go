package sdkapi

// MCPPath is where the gateway is a server of the Model Context Protocol, by
// its streamable HTTP transport.
const MCPPath = "/mcp"

// ArtifactURI begins the URIs that artifacts have as resources of the Model
// Context Protocol; the id follows.
const ArtifactURI = "windie://artifacts/"

// LocalUser is who asks a local gateway over MCP, or for decisions, without
// saying on whose behalf.
const LocalUser = "local"

// Headers of the Model Context Protocol.
const (
	MCPSessionHeader = "Mcp-Session-Id"
	MCPVersionHeader = "Mcp-Protocol-Version"
	MCPMethodHeader  = "Mcp-Method"
)
