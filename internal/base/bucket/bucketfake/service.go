// Package bucketfake has a service for tests that speaks as much of S3 as package bucket needs.
package bucketfake

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
	v4 "github.com/aws/smithy-go/aws-http-auth/v4"

	"github.com/hippo-memory/hippo/internal/base/bucket"
)

// What requests have to name.
const (
	AccessKey = "AKIAIOSFODNN7EXAMPLE"
	SecretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	Token     = "a token"
	Region    = "eu-central-1"
	Name      = "my.bucket"
)

// Credentials returns the key that the service knows.
func Credentials() bucket.Credentials {
	return bucket.Credentials{ID: AccessKey, Secret: SecretKey, SessionToken: Token}
}

// Service is a service with one bucket. It refuses requests whose signature is not right.
type Service struct {
	// Before answers in place of the service if it returns true; nil: never. It is called under a lock.
	Before func(w http.ResponseWriter, r *http.Request) bool
	// Pages is how many objects of a list one answer has; 0: all.
	Pages int

	mu      sync.Mutex
	objects map[string][]byte
	asked   []string
}

// Keys returns those of all objects.
func (s *Service) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Asked returns the methods of all requests.
func (s *Service) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP implements [http.Handler].
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method)
	if s.Before != nil && s.Before(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if fault := signatureFault(r, body); fault != "" || err != nil {
		refuse(w, http.StatusForbidden, "SignatureDoesNotMatch", fault)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/"+Name)
	name = strings.TrimPrefix(name, "/")
	_, there := s.objects[name]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "NoSuchBucket", "")
	case name == "":
		s.list(w, r)
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") == "*":
		refuse(w, http.StatusPreconditionFailed, "PreconditionFailed", "")
	case r.Method == http.MethodPut:
		if s.objects == nil {
			s.objects = make(map[string][]byte)
		}
		s.objects[name] = body
	case r.Method == http.MethodDelete:
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		refuse(w, http.StatusNotFound, "NoSuchKey", "")
	default:
		_, _ = w.Write(s.objects[name])
	}
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
}

func (s *Service) list(w http.ResponseWriter, r *http.Request) {
	answer := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []bucket.Object
	}{}
	for _, k := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(k, r.URL.Query().Get("prefix")) || k <= r.URL.Query().Get("continuation-token") {
			continue
		}
		if s.Pages > 0 && len(answer.Contents) == s.Pages {
			answer.IsTruncated, answer.NextContinuationToken = true, answer.Contents[s.Pages-1].Key
			break
		}
		sum := md5.Sum(s.objects[k])
		answer.Contents = append(answer.Contents, bucket.Object{Key: k, Size: int64(len(s.objects[k])), ETag: `"` + hex.EncodeToString(sum[:]) + `"`})
	}
	_ = xml.NewEncoder(w).Encode(answer)
}

// signatureFault returns what is wrong with the signature of a request.
func signatureFault(r *http.Request, body []byte) string {
	sum := sha256.Sum256(body)
	if r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		return "another payload"
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil {
		return "no date"
	}
	again := r.Clone(r.Context())
	again.Header = http.Header{}
	err = sigv4.New(func(o *v4.SignerOptions) { o.DisableDoublePathEscape, o.AddPayloadHashHeader = true, true }).SignRequest(&sigv4.SignRequestInput{
		Request: again, PayloadHash: sum[:], Service: "s3", Region: Region, Time: at,
		Credentials: credentials.Credentials{AccessKeyID: AccessKey, SecretAccessKey: SecretKey, SessionToken: Token},
	})
	if err != nil || again.Header.Get("Authorization") != r.Header.Get("Authorization") {
		return "not that of the key"
	}
	return ""
}
