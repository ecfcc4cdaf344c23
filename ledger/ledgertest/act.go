package ledgertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
)

// act is what one update of a storm does at random: a seed does the same on every
// store that is in the same state.
type act struct {
	*rand.Rand
	tx    ledger.Tx
	seed  uint64
	storm *Storm
	busy  bool     // few: they ask for what the store must look up
	saw   []string // what it read
	news  int      // how many rows it put that nobody else puts
}

// How an act ends, where not by returning nil or errRefused.
const (
	panics = "panics"
	exits  = "exits"
	faults = "puts what cannot be encoded"
)

var actTables = []string{"entries", "labels", "approvals"}

func (a *act) step() error {
	table, id := actTables[min(2, a.IntN(5)*a.IntN(2))], fmt.Sprint("id ", a.IntN(80))
	switch k := a.IntN(20); {
	case k < 4:
		return a.look()
	case k < 6 && a.busy:
		return a.findWithin(randomFind(a.Rand, table, id))
	case k < 9:
		row, err := a.tx.Get(table, id)
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return err
		}
		a.see(row)
		return nil
	case k < 12:
		return a.event(id)
	case k == 12 && a.busy:
		return errors.Join(a.tx.Put(ledger.Row{Table: table, ID: a.newest()}), a.tx.Delete(table, id))
	case k == 13 && a.busy && a.IntN(6) == 0:
		return a.putMany(table)
	case k == 14 && a.busy:
		return errors.Join(a.put(table, id), a.put(table, a.newest()), a.tx.Delete(table, id), a.put(table, id))
	}
	return a.put(table, id)
}

// newest names a row that is put before another is deleted: some stores would give
// away the Seq of the newest again.
func (a *act) newest() string {
	a.news++
	return fmt.Sprint("newest ", a.seed, " ", a.news)
}

func (a *act) see(rows ...ledger.Row) {
	a.saw = append(a.saw, fmt.Sprint("-- ", len(rows)))
	for _, row := range rows {
		text, err := row.Bytes()
		if err != nil {
			text = []byte("cannot be encoded")
		}
		if a.storm.Skips {
			row.Seq = 0
		}
		a.saw = append(a.saw, fmt.Sprintf("%d %s %q %d %s", row.Seq, row.ID, row.Words, len(text), text[:min(len(text), 20)]))
	}
}

func (a *act) find(q ledger.Query) error {
	rows, err := a.tx.Find(q)
	if err == nil {
		a.see(rows...)
	}
	return err
}

// findWithin finds what is between two Seqs; where these may be skipped, between two
// rows of few.
func (a *act) findWithin(q ledger.Query) error {
	for _, seq := range []*int64{&q.Before, &q.After} {
		if *seq == 0 || !a.storm.Skips {
			continue
		}
		row, err := a.tx.Get(q.Table, fmt.Sprint("id ", *seq%80))
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return err
		}
		*seq = row.Seq
	}
	return a.find(q)
}

// look looks for a word as a ledger does, which mostly nobody has.
func (a *act) look() error {
	q := ledger.Query{Table: "entries", Newest: a.IntN(2) == 0, Limit: a.IntN(4)}
	n := 3 + a.IntN(4)
	if q.Words[n] = randomWords(a.Rand, 1)[n]; a.IntN(3) > 0 {
		q.Words[n] += " nobody's"
	}
	return a.find(q)
}

// event puts one behind the last, as a ledger does.
func (a *act) event(id string) error {
	if err := a.find(ledger.Query{Table: "events", Newest: true, Limit: 1}); err != nil {
		return err
	}
	row := ledger.Row{Table: "events", Body: fmt.Append(nil, a.seed)}
	if a.IntN(2) == 0 {
		row.Body, row.Value = nil, encoded{fmt.Append(nil, a.seed, " value")}
	}
	if a.IntN(8) == 0 {
		row.Words[0] = id
	}
	return a.tx.Put(row)
}

// putMany puts more than a batch holds.
func (a *act) putMany(table string) error {
	for i := range 300 {
		row := ledger.Row{Table: table, ID: fmt.Sprint("many ", i), Words: randomWords(a.Rand, 9), Body: fmt.Append(nil, a.seed)}
		if err := a.putRow(row); err != nil {
			return err
		}
	}
	return nil
}

func (a *act) put(table, id string) error {
	row := ledger.Row{Table: table, ID: id, Words: randomWords(a.Rand, 8), Body: fmt.Append(nil, a.seed)}
	if a.busy && a.IntN(3) == 0 {
		row.Body = append(row.Body, make([]byte, 70<<10)...) // too large to be remembered
	}
	if a.IntN(40) == 0 {
		row.Body = []byte{}
	}
	if a.IntN(2) == 0 {
		row.Value, row.Body = encoded{row.Body}, nil
	}
	return a.putRow(row)
}

func (a *act) putRow(row ledger.Row) error {
	if a.storm.Looks {
		if _, err := a.tx.Get(row.Table, row.ID); err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return err
		}
	}
	return a.tx.Put(row)
}

// encoded is a value whose text is made beside the writer.
type encoded struct{ text []byte }

func (encoded) Prepare()                                {}
func (e encoded) AppendBinary(b []byte) ([]byte, error) { return append(b, e.text...), nil }

// randomWords are of few for each place, but for keys, most of which nobody has.
func randomWords(rng *rand.Rand, odds int) (words [7]string) {
	for i := range words {
		if rng.IntN(odds) == 0 {
			words[i] = fmt.Sprint("w", i, " ", rng.IntN(6))
		}
	}
	if words[6] != "" {
		words[6] = fmt.Sprint("key ", rng.IntN(400), " of the keys")
	}
	if words[2] != "" {
		words[2] = fmt.Sprint("tool ", rng.IntN(5)*rng.IntN(5))
	}
	return words
}

func randomFind(rng *rand.Rand, table, id string) ledger.Query {
	q := ledger.Query{Table: table, Newest: rng.IntN(2) == 0, Limit: rng.IntN(2) * rng.IntN(9)}
	if rng.IntN(2) == 0 {
		q.Words = randomWords(rng, 4)
	} else {
		q.Words[2] = randomWords(rng, 1)[2]
	}
	q.Before, q.After = rng.Int64N(2)*rng.Int64N(3000), rng.Int64N(2)*rng.Int64N(1500)
	if rng.IntN(8) == 0 {
		q.ID = id
	}
	return q
}

// foreseeing is a transaction that only takes down what is read in it.
type foreseeing struct{ list []ledger.Query }

func (f *foreseeing) Get(table, id string) (ledger.Row, error) {
	f.list = append(f.list, ledger.Query{Table: table, ID: id})
	return ledger.Row{}, ledger.ErrNotFound
}

func (f *foreseeing) Find(q ledger.Query) ([]ledger.Row, error) {
	f.list = append(f.list, q)
	return nil, nil
}

func (*foreseeing) Now() time.Time                    { return time.Time{} }
func (*foreseeing) Put(ledger.Row) error              { return nil }
func (*foreseeing) Delete(string, string) error       { return nil }
func (*foreseeing) Living(string) (bool, bool, error) { return false, false, nil }
