package changes_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/holdfast-go/holdfast/internal/changes"
)

func TestOf(t *testing.T) {
	for found, want := range map[string]string{
		`[{"field":"weight","old":75.50,"new":80}]`:   `{"field":"weight"} [weight] 75.50 80`,
		`[{"day":3,"old":null,"new":"x"}]`:            `{"day":3} [] null "x"`,
		`[]`:                                          ``,
		`[{"field":"weight","old":75.5}]`:             `nothing`,
		`[{"old":1,"new":2},{"field":"a","new":"b"}]`: `nothing`,
		`{"old":1,"new":2}`:                           `nothing`,
		`"a text"`:                                    `nothing`,
		``:                                            `nothing`,
	} {
		list, ok := changes.Of(json.RawMessage(found))
		got := ""
		for _, c := range list {
			got += fmt.Sprintf("%s %s %s %s", c.What, c.Names, c.Old, c.New)
		}
		if !ok {
			got = "nothing"
		}
		if got != want {
			t.Errorf("Of(%s) = %q, want %q", found, got, want)
		}
	}
}
