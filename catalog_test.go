package holdfast_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
)

func tool(t testing.TB, name string) *holdfast.Tool {
	t.Helper()
	made, err := holdfast.NewTool(name, "About "+name+".", compile(t, `{"type":"object"}`), holdfast.Read, time.Second, nothing, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestCatalogRefusesWhatIsNotOneActionAName(t *testing.T) {
	a := tool(t, "a")
	for says, row := range map[string]struct {
		namespace string
		tools     []*holdfast.Tool
		want      string
	}{
		"nothing":                              {"", nil, "no tools"},
		"a nil tool":                           {"", []*holdfast.Tool{nil}, "is nil"},
		"two equal names":                      {"", []*holdfast.Tool{a, tool(t, "a")}, "two tools"},
		"one tool twice":                       {"", []*holdfast.Tool{a, a}, "twice"},
		"a bare name equal to a qualified one": {"x", []*holdfast.Tool{a, tool(t, "x.a")}, "two tools"},
		"a namespace with a dot":               {"x.y", []*holdfast.Tool{a}, "must not hold"},
		"a namespace with a space":             {"x y", []*holdfast.Tool{a}, "namespace"},
	} {
		c, err := holdfast.NewCatalog(row.namespace, row.tools...)
		if err == nil || !strings.Contains(err.Error(), row.want) || c != nil {
			t.Errorf("%s: NewCatalog = %v, %v, want no catalog and an error with %q", says, c, err, row.want)
		}
	}
}

func TestCatalogLooksUpExactly(t *testing.T) {
	search := tool(t, "search_foods")
	c, err := holdfast.NewCatalog("coach", search, tool(t, "read_routines"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"search_foods": true, "coach.search_foods": true, "Search_Foods": false, "search_foodz": false, "coach.": false, "": false,
	} {
		if _, ok := c.Lookup(name); ok != want {
			t.Errorf("Lookup(%q) found = %t, want %t", name, ok, want)
		}
	}
	if got := c.Qualify(search); got != "coach.search_foods" {
		t.Errorf("Qualify = %q, want coach.search_foods", got)
	}
}

func TestCatalogNamesTheNearest(t *testing.T) {
	c, err := holdfast.NewCatalog("coach", tool(t, "search_foods"), tool(t, "search_exercises"), tool(t, "read_routines"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"search_foodz":             {"search_foods"},
		"coach.search_food":        {"search_foods"},
		"SearchFoods":              {"search_foods"},
		"charge_credit_card":       nil,
		strings.Repeat("x", 1<<20): nil,
	} {
		if got := c.Nearest(name); !slices.Equal(got, want) {
			t.Errorf("Nearest(%.40q) = %v, want %v", name, got, want)
		}
	}
}
