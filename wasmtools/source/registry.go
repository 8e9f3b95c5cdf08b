package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Logins returns the logins in Docker's config.json, and in the credential helpers that the file
// names. The file is in the folder DOCKER_CONFIG, or else in the home folder. If the file is
// missing, there are no logins. In the file, a host may have capital letters or the HTTPS port 443.
func Logins() (auth.CredentialFunc, error) {
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, refuse("invalid file of registry logins (config.json in DOCKER_CONFIG or ~/.docker): %s; correct it", short(err)).Because(err)
	}
	others, find := spellings(store.ConfigPath()), credentials.Credential(store)
	return func(ctx context.Context, host string) (auth.Credential, error) {
		login, err := find(ctx, host)
		if key := others[namedAs("https", host)]; key != "" && login == auth.EmptyCredential && err == nil {
			return store.Get(ctx, key)
		}
		return login, err
	}, nil
}

// spellings maps hosts, in the form in which rules compare them, to their spelling in Docker's
// config.json. The first spelling of a host wins.
func spellings(path string) map[string]string {
	var config struct {
		Auths       map[string]json.RawMessage `json:"auths"`
		CredHelpers map[string]string          `json:"credHelpers"`
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &config) != nil {
		return nil // the credential store reports read errors
	}
	keys := slices.Concat(slices.Collect(maps.Keys(config.Auths)), slices.Collect(maps.Keys(config.CredHelpers)))
	slices.Sort(keys)
	known := map[string]string{}
	for _, key := range keys {
		_, host, web := strings.Cut(key, "://") // older programs wrote https://host/v1/
		if !web {
			host = key
		}
		host, _, _ = strings.Cut(host, "/")
		if host = namedAs("https", host); known[host] == "" {
			known[host] = key
		}
	}
	return known
}

// repository is a plugin's place in a registry.
type repository struct{ *remote.Repository }

var _ place = repository{}

// registry returns the repository of a reference.
func (f *Fetcher) registry(ref Reference) (repository, error) {
	r, err := remote.NewRepository(ref.Host + "/" + ref.Path)
	if err != nil {
		return repository{}, refuse("the reference %s is invalid", ref).Because(err)
	}
	r.Client = &auth.Client{
		Client: f.client, Credential: f.cfg.Logins, Cache: auth.NewCache(), ClientID: "windie",
		BlockedRealmPrefixes: []netip.Prefix{}, // the transport checks addresses, also those of realms
	}
	r.PlainHTTP = f.plain(ref.Host)
	r.MaxMetadataBytes = MaxArtifactBytes
	r.SkipReferrersGC = true
	return repository{r}, nil
}

// plain reports whether the operator allows plain HTTP for a registry.
func (f *Fetcher) plain(host string) bool {
	return slices.Contains(f.cfg.Private, "http://"+namedAs("http", host))
}

// resolve asks the registry for the descriptor of a tag or digest. The error for a missing tag
// lists the existing tags.
func (p repository) resolve(ctx context.Context, tag string) (ocispec.Descriptor, error) {
	d, err := p.Resolve(ctx, tag)
	if errors.Is(err, errdef.ErrNotFound) {
		return d, p.noTag(ctx, tag, err)
	}
	return d, err
}

// errEnough stops the listing of tags.
var errEnough = errors.New("enough tags")

// tags returns the first MaxTags tags.
func (p repository) tags(ctx context.Context) (list []string, err error) {
	err = p.Tags(ctx, "", func(page []string) error {
		list = append(list, page[:min(len(page), MaxTags-len(list))]...)
		if len(list) == MaxTags {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return list, nil
}

// open starts to download the content of a descriptor.
func (p repository) open(ctx context.Context, of ocispec.Descriptor) (io.ReadCloser, error) {
	return p.Fetch(ctx, of)
}

// Push publishes a package in a registry under the reference's tag, and returns its digest.
func (f *Fetcher) Push(ctx context.Context, p *Package, ref Reference) (string, error) {
	const op = "source.Push"
	if ref.IsFile() || ref.Digest != "" {
		return "", fault.New(op, sdkapi.ValidationError, "cannot publish the plugin to %s; expected a reference such as oci://registry.example/tools/weather:1.2", ref)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.cfg.Time, errSlow)
	defer cancel()
	to, err := f.registry(ref)
	if err != nil {
		return "", err
	}
	blobs, manifest := p.encode()
	for _, b := range blobs {
		if there, err := to.Blobs().Exists(ctx, b.Descriptor); err == nil && there {
			continue
		}
		if err := to.Blobs().Push(ctx, b.Descriptor, bytes.NewReader(b.content)); err != nil {
			return "", pushFailed(ctx, ref, err)
		}
	}
	if err := to.Manifests().PushReference(ctx, manifest.Descriptor, bytes.NewReader(manifest.content), ref.Tag); err != nil {
		return "", pushFailed(ctx, ref, err)
	}
	return manifest.Digest.String(), nil
}

// pushFailed turns an error of a push into a fault that says what to do.
func pushFailed(ctx context.Context, ref Reference, err error) error {
	if e := explained(ctx, err); fault.CodeOf(e) != sdkapi.Internal {
		return e
	}
	return fault.New("source.Push", sdkapi.ValidationError, "publishing %s failed: %s; log in with docker login or podman login, and check that you may write to this address", ref, short(err)).Because(err)
}
