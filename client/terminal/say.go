package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// imageTypes are the file name extensions of images that can be sent.
var imageTypes = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"}

// maxImage limits an image, in bytes.
const maxImage = 25 << 20

// upload uploads images to the gateway.
func upload(ctx context.Context, client *sdk.Client, files []string) (list []sdkapi.ImageSource, err error) {
	if len(files) > sdkapi.MaxAgentImages {
		return nil, fmt.Errorf("%w: a message can have at most %d images", errCalled, sdkapi.MaxAgentImages)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err == nil && info.Size() > maxImage {
			err = fmt.Errorf("%s has %d bytes; the limit is %d", name, info.Size(), maxImage)
		}
		var kept *sdkapi.Artifact
		if err == nil {
			kept, err = client.UploadArtifact(ctx, filepath.Base(name), f)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		list = append(list, sdkapi.ImageSource{ArtifactID: kept.ArtifactID})
	}
	return list, nil
}

// pastedImages returns the files that a pasted text names, if all are images: a terminal pastes the
// paths of files that are dropped on it.
func pastedImages(text string) (files []string) {
	for _, name := range splitPaths(strings.TrimSpace(text)) {
		name = strings.TrimPrefix(strings.Trim(name, `'"`), "file://")
		if !slices.Contains(imageTypes, strings.ToLower(filepath.Ext(name))) {
			return nil
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		files = append(files, name)
	}
	return files
}

// splitPaths splits a text at spaces that are neither quoted nor after a backslash.
func splitPaths(text string) (list []string) {
	var word strings.Builder
	quote, escaped := rune(0), false
	end := func() {
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote == 0:
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && (r == ' ' || r == '\n' || r == '\r'):
			end()
		default:
			word.WriteRune(r)
		}
	}
	end()
	return list
}
