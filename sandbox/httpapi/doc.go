// Package httpapi runs tools that are one HTTP request each: the request is a
// template over the arguments, and what each status means is data.
//
//	runner, err := httpapi.New(httpapi.Spec{
//		Method: "POST", URL: "https://api.example.com/charges", Body: json.RawMessage(`"arguments"`),
//		Status: []httpapi.StatusRule{{Match: "402", Means: httpapi.NoEffect}},
//	}, input, holdfast.Write, sandbox.Limits{}, nil)
//
// # What is sent
//
// {name} stands for an argument: percent-encoded in paths and queries, JSON in
// bodies, and never part of the scheme or the host. ${key} is the idempotency
// key, which a write also sends as a header. ${env:NAME} is a secret and stands in
// headers alone; where a server sends it back, it is masked.
//
// # Where to
//
// Only declared hosts are asked, redirects included; the address that a name
// stands for is looked up once and checked before it is dialled. There is no
// proxy, no cookie, no HTTP/2, and a connection serves one request: what was sent
// is known, and nothing beneath repeats a request by itself.
//
// # What an answer means
//
// A write that could not connect had no effect. Once a byte may have left, only an
// answer says more: 2xx is an effect; 400, 401, 403 to 406, 411, 413 to 415, 422,
// 428, 429 and 431 are refusals and had none; every other status is unknown, and so
// is a connection that breaks, also within a good answer. A read follows redirects
// and may be tried again after a broken connection and after 408, 429, 500, 502,
// 503 and 504. [StatusRule] says otherwise where an API does.
//
// What a server sends is bounded: 64 KiB of header, and of the body a little more
// than the tool may hand back, unpacked.
package httpapi
