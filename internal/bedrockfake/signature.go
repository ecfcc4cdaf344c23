package bedrockfake

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	algorithm = "AWS4-HMAC-SHA256"
	stampForm = "20060102T150405Z"
)

// check reports what is wrong with a request's authorisation.
func (a Account) check(r *http.Request, body []byte) error {
	given := r.Header.Get("Authorization")
	if bearer, ok := strings.CutPrefix(given, "Bearer "); ok {
		if a.Bearer == "" || bearer != a.Bearer {
			return errors.New("the API key is wrong")
		}
		return nil
	}
	fields, ok := strings.CutPrefix(given, algorithm+" ")
	if !ok || a.Secret == "" {
		return errors.New("the request is not signed")
	}
	part := map[string]string{}
	for field := range strings.SplitSeq(fields, ", ") {
		name, value, _ := strings.Cut(field, "=")
		part[name] = value
	}
	stamp := r.Header.Get("X-Amz-Date")
	at, err := time.Parse(stampForm, stamp)
	if err != nil || time.Since(at).Abs() > 5*time.Minute {
		return fmt.Errorf("the time %q is not now", stamp)
	}
	scope := strings.Join([]string{stamp[:8], a.Region, "bedrock", "aws4_request"}, "/")
	if part["Credential"] != a.AccessKey+"/"+scope {
		return fmt.Errorf("the credential %q is not %s's for %s", part["Credential"], a.AccessKey, scope)
	}
	if r.Header.Get("X-Amz-Security-Token") != a.Token {
		return errors.New("the session token is wrong")
	}
	signed := strings.Split(part["SignedHeaders"], ";")
	for _, must := range []string{"host", "x-amz-date", "content-type"} {
		if !slices.Contains(signed, must) {
			return fmt.Errorf("header %s is not signed", must)
		}
	}
	if a.Token != "" && !slices.Contains(signed, "x-amz-security-token") {
		return errors.New("the session token is not signed")
	}
	want := Signature(a.Secret, scope, stamp, canonical(r, signed, body))
	if subtle.ConstantTimeCompare([]byte(want), []byte(part["Signature"])) != 1 {
		return errors.New("the signature is wrong")
	}
	return nil
}

// canonical is the request in the form that is signed: the path as it was sent,
// with each segment escaped once more.
func canonical(r *http.Request, signed []string, body []byte) string {
	path, query, _ := strings.Cut(r.RequestURI, "?")
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", r.Method, escape(path), query)
	for _, name := range signed {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		fmt.Fprintf(&b, "%s:%s\n", name, strings.Join(strings.Fields(value), " "))
	}
	fmt.Fprintf(&b, "\n%s\n%x", strings.Join(signed, ";"), sha256.Sum256(body))
	return b.String()
}

// escape escapes everything but what RFC 3986 leaves alone, and slashes.
func escape(path string) string {
	var b strings.Builder
	for _, x := range []byte(path) {
		switch {
		case x >= 'a' && x <= 'z', x >= 'A' && x <= 'Z', x >= '0' && x <= '9', strings.IndexByte("-._~/", x) >= 0:
			b.WriteByte(x)
		default:
			fmt.Fprintf(&b, "%%%02X", x)
		}
	}
	return b.String()
}

// Signature is that of a canonical request, in hex.
func Signature(secret, scope, stamp, canonical string) string {
	key := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = mac(key, part)
	}
	hash := sha256.Sum256([]byte(canonical))
	return hex.EncodeToString(mac(key, strings.Join([]string{algorithm, stamp, scope, hex.EncodeToString(hash[:])}, "\n")))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
