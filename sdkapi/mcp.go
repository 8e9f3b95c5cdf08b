package sdkapi

// MCPPath serves the Model Context Protocol by its streamable HTTP transport.
const MCPPath = "/mcp"

// ArtifactURI is the prefix of the resource URIs of artifacts in the Model Context Protocol. In a
// URI, the id of the artifact follows the prefix.
const ArtifactURI = "windie://artifacts/"

// LocalUser is the default user of a gateway in local mode, for requests that omit the user.
const LocalUser = "local"

// Headers of the Model Context Protocol.
const (
	MCPSessionHeader = "Mcp-Session-Id"
	MCPVersionHeader = "Mcp-Protocol-Version"
	MCPMethodHeader  = "Mcp-Method"
)
