package schema_test

import (
	"fmt"

	"github.com/holdfast-go/holdfast/schema"
)

func Example() {
	s, err := schema.Compile([]byte(`{
		"type": "object",
		"properties": {
			"data": {"type": "object", "properties": {"weight_kg": {"type": "number"}}, "required": ["weight_kg"]}
		},
		"required": ["data"]
	}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{`{"data":{"weight_kg":75.5}}`, `{"data":{"weight_kg":"75,5"}}`, `{"data":{}}`} {
		args, err := schema.Read([]byte(text), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		r := s.Validate(args)
		fmt.Println(r.Valid())
		for _, p := range r.Problems {
			fmt.Printf("%s: %s\n", p.Path, p.Message)
		}
	}
	// Output:
	// true
	// false
	// /data/weight_kg: must be a number, not the string "75,5"
	// false
	// /data: `weight_kg` is missing; it must be a number
}

func ExampleSchema_Coerce() {
	s, err := schema.Compile([]byte(`{"properties":{"page":{"type":"integer"},"name":{"type":"string"}}}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	args, err := schema.Read([]byte(`{"page":"2","name":null}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, changes := s.Coerce(args)
	fmt.Println(string(got.Raw()))
	for _, c := range changes {
		fmt.Println(c.Path, c.Rule)
	}
	// Output:
	// {"page":2}
	// /page string->integer
	// /name null->absent
}

func ExampleFor() {
	type booking struct {
		Room   string `json:"room" desc:"Number on the door" pattern:"^[A-Z]\\d{3}$"`
		Guests int    `json:"guests" min:"1" max:"12"`
		Note   string `json:"note,omitempty"`
	}
	s, err := schema.For[booking](nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	args, err := schema.Read([]byte(`{"room":"B204","guests":0}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range s.Validate(args).Problems {
		fmt.Println(p.Path, p.Message)
	}
	var b booking
	if err := schema.Decode(args, &b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Room, b.Guests)
	// Output:
	// /guests must be at least 1, not the number 0
	// B204 0
}
