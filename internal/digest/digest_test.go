package digest_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/internal/digest"
)

// The digests stand in ledgers: they are what they were.
func TestOfStaysWhatItWas(t *testing.T) {
	for _, row := range []struct {
		parts []string
		want  string
	}{
		{nil, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{[]string{`{"n":1}`}, "f85afa221715119e0ff5c33449ed29b7068235c6d76bba0cb84d12f1c02ab0b9"},
		{[]string{"a", "b"}, "3c9d591045bc8876f9d0399bbfb05c6a412096e906f73278f98406cd5dca86df"},
	} {
		var parts [][]byte
		for _, p := range row.parts {
			parts = append(parts, []byte(p))
		}
		if got := digest.Of(parts...); got != row.want {
			t.Errorf("Of(%q) = %s, want %s", row.parts, got, row.want)
		}
	}
}

func TestOfTellsListsApart(t *testing.T) {
	one, two := digest.Of([]byte("ab"), []byte("c")), digest.Of([]byte("a"), []byte("bc"))
	if one == two {
		t.Errorf("Of(ab, c) and Of(a, bc) are both %s, want two", one)
	}
}
