package sdkapi

// MCPPath serves the Model Context Protocol by its streamable HTTP transport.
const MCPPath = "/mcp"

// ArtifactURI is the prefix of the resource URIs of artifacts in the Model Context Protocol. The id
// follows.
const ArtifactURI = "windie://artifacts/"

// LocalUser is the user of a request to a local gateway, over MCP or for decisions, that names no
// user.
const LocalUser = "local"

// Headers of the Model Context Protocol.
const (
	MCPSessionHeader = "Mcp-Session-Id"
	MCPVersionHeader = "Mcp-Protocol-Version"
	MCPMethodHeader  = "Mcp-Method"
)
