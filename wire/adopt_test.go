package wire_test

import (
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

func TestPairSendsAnOutcomesIDWhereTheProviderSentNone(t *testing.T) {
	reply := &wire.Reply{API: "here", Ending: wire.Ended, Calls: []holdfast.Call{
		{Name: "a", Kind: holdfast.FunctionCall, Complete: true}, {ID: "sent", Name: "b", Kind: holdfast.FunctionCall, Complete: true},
	}}
	results := []holdfast.Observation{{Position: 0, CallID: "made"}, {Position: 1, CallID: "other"}}
	for _, tt := range []struct {
		name  string
		takes func(string) bool
		want  string
	}{
		{"any id", nil, "made"},
		{"an id that this provider does not take", func(id string) bool { return id != "made" }, "hf0001000"},
	} {
		turns, err := wire.Pair([]wire.Item{{Reply: reply}, {Results: results}}, nil, wire.HistoryRule{API: "here", Names: wire.NameRule{Bytes: 64}, ID: tt.takes})
		if err != nil {
			t.Fatalf("%s: Pair = %v", tt.name, err)
		}
		first, second := turns[0].Calls[0], turns[0].Calls[1]
		if first.SentID != tt.want || first.Result.CallID != tt.want || second.SentID != "sent" || second.Result.CallID != "sent" {
			t.Errorf("%s: ids = %q, %q and %q, %q, want %q and sent twice", tt.name, first.SentID, first.Result.CallID, second.SentID, second.Result.CallID, tt.want)
		}
	}
}
