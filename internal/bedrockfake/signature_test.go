package bedrockfake

import "testing"

// The example that AWS's documentation of the signature gives.
func TestSignature_is_that_of_the_specification(t *testing.T) {
	const canonical = `GET
/
Action=ListUsers&Version=2010-05-08
content-type:application/x-www-form-urlencoded; charset=utf-8
host:iam.amazonaws.com
x-amz-date:20150830T123600Z

content-type;host;x-amz-date
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`
	got := Signature("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830/us-east-1/iam/aws4_request", "20150830T123600Z", canonical)
	if want := "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"; got != want {
		t.Errorf("Signature = %s, want %s", got, want)
	}
}
