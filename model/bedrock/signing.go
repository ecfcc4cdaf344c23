package bedrock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// signing signs each request just before it goes out, so a try that is made again
// carries the time of its own.
type signing struct {
	next        http.RoundTripper
	signer      *v4.Signer
	credentials aws.Credentials
	region      string
}

// RoundTrip signs a copy of r and passes it on.
func (s *signing) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("reading a request to sign it: %w", err)
		}
	}
	signed := r.Clone(r.Context())
	signed.Body = io.NopCloser(bytes.NewReader(body))
	// A model's id may hold colons. AWS's own clients send them escaped, and what
	// is signed is what is sent.
	signed.URL.RawPath = strings.ReplaceAll(signed.URL.EscapedPath(), ":", "%3A")
	hash := sha256.Sum256(body)
	if err := s.signer.SignHTTP(r.Context(), s.credentials, signed, hex.EncodeToString(hash[:]), "bedrock", s.region, time.Now()); err != nil {
		return nil, fmt.Errorf("signing a request: %w", err)
	}
	return s.next.RoundTrip(signed)
}
