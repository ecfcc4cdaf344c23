package sqlite

import (
	"context"
	"hash/maphash"
	"strings"

	"github.com/holdfast-go/holdfast/ledger"
)

// keySet tells of most keys that no entry has them. A key is looked up before
// each write, and hardly ever found. The set is made beside the writer, once enough
// was looked up in vain, and holds for as long as nobody else writes the file.
type keySet struct {
	set    keyBits // nil: not there yet
	room   int     // keys that may still be added
	vain   int     // lookups, until it is made
	making chan keyBits
	since  []uint64 // the keys that were put while it is made
}

const (
	keyWord    = 6
	keyPart    = 12      // of the word, as in its index
	minVain    = 256     // lookups that are worth it
	maxKeys    = 4 << 20 // of more there is no set
	bitsPerKey = 16

	roomAtLeast = 1 << 15 // for keys that come
)

// keyBits is a Bloom filter: three bits a key.
type keyBits []uint64

// bitsOf has room for as many again.
func bitsOf(sums []uint64) keyBits {
	b := make(keyBits, 2*max(len(sums), roomAtLeast)*bitsPerKey/64)
	for _, sum := range sums {
		b.add(sum)
	}
	return b
}

// keys is how many it has room for.
func (b keyBits) keys() int { return len(b) * 64 / bitsPerKey }

func sumOfKey(word string) uint64 {
	word, _, _ = strings.Cut(word, "\x00") // where substr ends
	return maphash.String(wordSeed, word[:min(len(word), keyPart)])
}

func (b keyBits) places(sum uint64) (p [3]uint64) {
	for i := range p {
		p[i] = sum % (64 * uint64(len(b)))
		sum = sum>>21 | sum<<43
	}
	return p
}

func (b keyBits) add(sum uint64) {
	for _, p := range b.places(sum) {
		b[p/64] |= 1 << (p % 64)
	}
}

func (b keyBits) mayHave(sum uint64) bool {
	for _, p := range b.places(sum) {
		if b[p/64]&(1<<(p%64)) == 0 {
			return false
		}
	}
	return true
}

// forget is what follows when somebody else has written.
func (k *keySet) forget() { *k = keySet{} }

// add adds the key of a row.
func (k *keySet) add(row *ledger.Row) {
	if row.Table != lateTable || row.Words[keyWord] == "" || k.set == nil && k.making == nil {
		return
	}
	sum := sumOfKey(row.Words[keyWord])
	switch {
	case k.set == nil:
		k.since = append(k.since, sum)
	case k.room == 0:
		k.forget()
	default:
		k.room--
		k.set.add(sum)
	}
}

// lacks reports whether no entry has the key of q.
func (k *keySet) lacks(q ledger.Query) bool {
	if q.Table != lateTable || q.Words[keyWord] == "" {
		return false
	}
	if k.making != nil {
		select {
		case set, ok := <-k.making:
			k.made(set, ok)
		default:
		}
	}
	return k.set != nil && !k.set.mayHave(sumOfKey(q.Words[keyWord]))
}

func (k *keySet) made(set keyBits, ok bool) {
	since := k.since
	k.forget()
	if !ok || len(since) > roomAtLeast { // it was not to be had, or came too late
		k.vain = -1 << 16
		return
	}
	k.set, k.room = set, set.keys()/2-len(since)
	for _, sum := range since {
		set.add(sum)
	}
}

// asked notes a lookup.
func (k *keySet) asked(q ledger.Query, found int) {
	if q.Table == lateTable && q.Words[keyWord] != "" && found == 0 && k.set == nil {
		k.vain++
	}
}

// due begins to make the set, if that is worth it. Every key that was ever put must be
// in the file by now.
func (k *keySet) due(s *Store) {
	if k.vain < minVain || k.making != nil || k.set != nil {
		return
	}
	k.making = make(chan keyBits, 1)
	s.log.running.Go(func() { s.readKeys(k.making) })
}

// readKeys reads all keys, some at a time, so that the log may begin anew meanwhile.
func (s *Store) readKeys(to chan<- keyBits) {
	defer close(to)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var sums []uint64
	for last := ""; ; {
		from := len(sums)
		err := s.View(ctx, func(t ledger.Tx) (err error) {
			sums = sums[:from]
			last, err = t.(*tx).conn.readKeys(last, func(key string) { sums = append(sums, sumOfKey(key)) })
			return err
		})
		if err != nil || len(sums) > maxKeys {
			return
		}
		if len(sums) == from {
			to <- bitsOf(sums)
			return
		}
	}
}

// readKeys reads some keys behind one, and tells the last.
func (c *conn) readKeys(behind string, each func(key string)) (last string, err error) {
	st, err := c.prepare("SELECT substr(w6, 1, 12) FROM entries WHERE w6 IS NOT NULL AND substr(w6, 1, 12) > ? ORDER BY substr(w6, 1, 12) LIMIT 4096")
	if err != nil {
		return "", err
	}
	defer st.Reset()
	if err := st.BindText(1, behind); err != nil {
		return "", err
	}
	for st.Step() {
		last = st.ColumnText(0)
		each(last)
	}
	return last, st.Err()
}
