// Package bedrock asks models on Amazon Bedrock: a model.Client whose requests
// carry AWS signature version 4, or a Bedrock API key.
//
//	client, err := bedrock.New(wirebedrock.Converse{}, "anthropic.claude-…", nil)
//
// Credentials and region come from the environment alone (AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_BEARER_TOKEN_BEDROCK;
// AWS_REGION or AWS_DEFAULT_REGION). It reads no profile files and asks no
// metadata service: who has only those lets the AWS command line export them.
package bedrock
