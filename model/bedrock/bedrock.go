package bedrock

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/wire"
)

// New makes a client of the model called name (an id, an inference profile or an
// ARN). It connects to nothing. A Bedrock API key goes before credentials. Both
// come from the environment only for Bedrock's own address or the environment's
// for it, never for an o.BaseURL; with an o.Key that one is sent.
func New(codec wire.Codec, name string, o *model.Options) (*model.Client, error) {
	var options model.Options
	if o != nil {
		options = *o
	}
	env := options.Env
	if env == nil {
		env = os.Getenv
	}
	region := cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION"))
	if options.BaseURL == "" {
		if err := fromEnvironment(&options, env, region); err != nil {
			return nil, fmt.Errorf("model %s: %w", name, err)
		}
	}
	return model.New(codec, name, &options)
}

// fromEnvironment sets the address, and what authorises there.
func fromEnvironment(o *model.Options, env func(string) string, region string) error {
	o.BaseURL = env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
	o.Key = cmp.Or(o.Key, env("AWS_BEARER_TOKEN_BEDROCK"))
	if region == "" && (o.BaseURL == "" || o.Key == "") {
		return errors.New("no region: set AWS_REGION")
	}
	if region != "" && !regionName.MatchString(region) {
		return errors.New("AWS_REGION is no name of a region")
	}
	o.BaseURL = cmp.Or(o.BaseURL, address(region))
	if o.Key != "" {
		return nil
	}
	credentials := aws.Credentials{
		AccessKeyID: env("AWS_ACCESS_KEY_ID"), SecretAccessKey: env("AWS_SECRET_ACCESS_KEY"), SessionToken: env("AWS_SESSION_TOKEN"),
	}
	if !credentials.HasKeys() {
		return errors.New("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK")
	}
	var client http.Client
	if o.HTTPClient != nil {
		client = *o.HTTPClient
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = &signing{next: client.Transport, signer: v4.NewSigner(), credentials: credentials, region: region}
	o.HTTPClient = &client
	return nil
}

// regionName keeps a region from being more than a part of a host's name.
var regionName = regexp.MustCompile(`^[a-z0-9-]+$`)

func address(region string) string {
	domain := "amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		domain += ".cn"
	}
	return "https://bedrock-runtime." + region + "." + domain
}
