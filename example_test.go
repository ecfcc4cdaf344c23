package holdfast_test

import (
	"context"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// The README's tool.
func ExampleFunc() {
	type Reading struct {
		Date   string  `json:"date" desc:"Day of the reading" format:"date"`
		Weight float64 `json:"weight_kg" desc:"Body weight in kilograms" min:"20" max:"400"`
	}
	weigh, err := holdfast.Func("write_weight", "Store the body weight of one day.",
		holdfast.Write, 2*time.Second,
		func(ctx context.Context, in Reading) (string, error) {
			return fmt.Sprintf("stored %v for %s", in.Weight, in.Date), nil
		}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{`{"date":"2026-02-30","weight_kg":"75,5"}`, `{"date":"2026-02-28","weight_kg":75.5}`} {
		args, err := schema.Read([]byte(text), nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		report := weigh.Input().Validate(args)
		for _, p := range report.Problems {
			fmt.Println(p.Path, p.Message)
		}
		if report.Valid() {
			result, err := weigh.Handle(context.Background(), args)
			fmt.Println(result.Text, err)
		}
	}
	// Output:
	// /date must be a date of the calendar such as 2026-02-28, not the string "2026-02-30"
	// /weight_kg must be a number, not the string "75,5"
	// stored 75.5 for 2026-02-28 <nil>
}
