// Starts Scalar on our document, with everything that would leave this host off.
Scalar.createApiReference('#app', {
  url: 'openapi.json' /* beside the page, whatever path that is served below */,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { securitySchemes: { user: { name: 'X-User-Id', in: 'header', value: 'local' } } } /* samples then run as they stand */,
});
