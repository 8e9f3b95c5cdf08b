package s3store_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestSweep checks that only uploads that are old enough and have the name of an artifact are
// aborted.
func TestSweep(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	core := minio.Core{Client: client(t, server)}
	for _, key := range []string{"some/a.png", "some/b.png", "some/b.png", "some/others/c.png", "some/notes", "a.png", "other/a.png"} {
		id, err := core.NewMultipartUpload(t.Context(), server.Bucket, key, minio.PutObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := core.PutObjectPart(t.Context(), server.Bucket, key, id, 1, strings.NewReader("part"), 4, minio.PutObjectPartOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config(server)
	cfg.Prefix = "some"
	s := open(t, cfg)
	mustPut(t, s, "kept.png", []byte("content"))
	all := uploads(t, core, server.Bucket)
	if n, err := s.Sweep(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil || len(uploads(t, core, server.Bucket)) != len(all) {
		t.Errorf("Sweep of what is older: %d, %v", n, err)
	}
	for _, want := range []int{3, 0} {
		if n, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); n != want || err != nil {
			t.Errorf("Sweep: %d, %v; want %d", n, err, want)
		}
	}
	if left := uploads(t, core, server.Bucket); !slices.Equal(left, []string{"a.png", "other/a.png", "some/notes", "some/others/c.png"}) {
		t.Errorf("what is left: %q", left)
	}
	if got := mustGet(t, s, "kept.png"); string(got) != "content" {
		t.Errorf("the artifact is now %q", got)
	}
}

// TestSweepWithoutRights sweeps with keys that may not list uploads, and with a server that fails.
// Only the second error may be reported.
func TestSweepWithoutRights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		want   sdkapi.Code
	}{
		{http.StatusForbidden, "AccessDenied", ""},
		{http.StatusNotImplemented, "NotImplemented", ""},
		{http.StatusNotFound, "NoSuchBucket", sdkapi.StorageUnavailable},
		{http.StatusBadRequest, "Whatever", sdkapi.StorageUnavailable},
	} {
		t.Run(c.code, func(t *testing.T) {
			s := open(t, config(fake(t, answerWith(c.status, c.code))))
			if n, err := s.Sweep(t.Context(), time.Now()); n != 0 || fault.CodeOf(err) != c.want {
				t.Errorf("%s: %d, %v; want %q", c.code, n, err, c.want)
			}
		})
	}
}

// TestSweepGoesOn uses a server that aborts only one of two uploads, on the second of two pages,
// and a server that repeats its only page forever.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	page := func(key, next string) string {
		return fmt.Sprintf(`<ListMultipartUploadsResult><IsTruncated>%t</IsTruncated><NextKeyMarker>%s</NextKeyMarker>`+
			`<Upload><Key>%s</Key><UploadId>1</UploadId><Initiated>2020-01-01T00:00:00.000Z</Initiated></Upload></ListMultipartUploadsResult>`,
			next != "", next, key)
	}
	for name, next := range map[string]string{"two pages": "", "the same page for ever": "b.png"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, config(fake(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "a.png"):
					answerWith(http.StatusBadRequest, "Whatever")(w, r)
				case r.Method == http.MethodDelete:
					w.WriteHeader(http.StatusNoContent)
				case r.URL.Query().Get("key-marker") == "":
					_, _ = io.WriteString(w, page("a.png", "b.png"))
				default:
					_, _ = io.WriteString(w, page("b.png", next))
				}
			})))
			if n, err := s.Sweep(t.Context(), time.Now()); n != 1 || fault.CodeOf(err) != sdkapi.StorageUnavailable {
				t.Errorf("%s: %d, %v; want 1, and why the other was not aborted", name, n, err)
			}
		})
	}
}

// TestStorageFull uses servers that are full and report it in different ways. Put must return
// STORAGE_FULL after one attempt, and leave nothing.
func TestStorageFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		want   sdkapi.Code
	}{
		{http.StatusInsufficientStorage, "XMinioStorageFull", sdkapi.StorageFull},
		{http.StatusInsufficientStorage, "", sdkapi.StorageFull},
		{http.StatusBadRequest, "XMinioAdminBucketQuotaExceeded", sdkapi.StorageFull},
		{http.StatusForbidden, "QuotaExceeded", sdkapi.StorageFull},
		{http.StatusForbidden, "AccessDenied", sdkapi.StorageUnavailable},
	} {
		t.Run(fmt.Sprintf("%.50q", c.code), func(t *testing.T) {
			puts := 0
			s := open(t, config(fake(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPut {
					answerWith(http.StatusNotFound, "NoSuchKey")(w, r)
					return
				}
				puts++
				_, _ = io.Copy(io.Discard, r.Body)
				answerWith(c.status, c.code)(w, r)
			})))
			_, err := s.Put(t.Context(), "a.png", "image/png", strings.NewReader("content"))
			if f := fault.From(err); f == nil || f.Code != c.want || (c.want == sdkapi.StorageFull) != strings.Contains(f.Message, "free space there") {
				t.Errorf("%d %s: %v; want %s", c.status, c.code, err, c.want)
			}
			if puts != 1 {
				t.Errorf("%d %s: it was tried %d times", c.status, c.code, puts)
			}
		})
	}
}

// answerWith refuses every request.
func answerWith(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		if code != "" && r.Method != http.MethodHead {
			_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
		}
	}
}

// uploads lists the names of all uploads that have not ended.
func uploads(t *testing.T, core minio.Core, bucket string) []string {
	t.Helper()
	page, err := core.ListMultipartUploads(t.Context(), bucket, "", "", "", "", 0)
	if err != nil || page.IsTruncated {
		t.Fatalf("%v, %v", page, err)
	}
	var keys []string
	for _, upload := range page.Uploads {
		keys = append(keys, upload.Key)
	}
	slices.Sort(keys)
	return keys
}
