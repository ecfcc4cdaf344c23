package catalogfile_test

import (
	"fmt"

	"github.com/holdfast-go/holdfast/catalogfile"
)

func ExampleParse() {
	catalog, err := catalogfile.Parse("clock.yaml", []byte(`
catalog: clock
tools:
  - name: now
    description: Tell the time of day at a place. Not for dates.
    effect: read
    timeout: 1s
    input: {type: object, required: [place], properties: {place: {type: string}}}
    run: {static: {time: "12:00"}}
`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range catalog.Tools() {
		fmt.Println(catalog.Qualify(t), t.Effect(), t.Timeout())
	}
	// Output: clock.now read 1s
}

func ExampleError() {
	_, err := catalogfile.Parse("clock.yaml", []byte(`
tools:
  - name: now
    description: Tell the time of day.
    effect: read
    timeout: 0s
    input: {type: object}
    run: {http: {url: "https://{place}/now"}}
`), nil)
	fmt.Println(err)
	// Output:
	// clock.yaml:6:14: tool now: "0s" is no length of time above zero, such as 5s
	// clock.yaml:8:23: tool now: arguments and secrets are never part of the scheme or the host
}
