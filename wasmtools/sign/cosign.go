package sign

import (
	"context"
	"os/exec"
	"time"
)

// cosignTime limits one run of cosign.
const cosignTime = 2 * time.Minute

// Verify runs the program cosign to check who signed an artifact in a registry. artifact has the
// form registry.example/tools/weather@sha256:…. The digest ensures that cosign checks the fetched
// artifact. program is the path of cosign, and environ is its environment.
func (c Cosign) Verify(ctx context.Context, program, artifact string, environ []string) error {
	if program == "" {
		return refuse("the policy requires a signature of cosign, and the program cosign is not installed; install it, or change the policy")
	}
	ctx, cancel := context.WithTimeout(ctx, cosignTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "verify", "--certificate-identity", c.Identity, "--certificate-oidc-issuer", c.Issuer, "--output", "text", artifact)
	cmd.Env = environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		return refuse("cosign does not accept %s as signed by %s of %s: %.500s; ask its author, and do not use it", artifact, c.Identity, c.Issuer, out).Because(err)
	}
	return nil
}
