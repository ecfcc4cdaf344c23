package coach

import (
	"maps"
	"sync"
)

// seen remembers what write_measurement's precondition saw under each call's
// key, until the handler compares it with what it finds: a value that came in
// between was shown to nobody and must not be replaced. The gate runs the
// precondition directly before the handler, in the same process.
type seen struct {
	mu    sync.Mutex
	byKey map[string]measurements
	order []string
}

// maxSeen bounds what is remembered of calls that were never started.
const maxSeen = 1024

func (s *seen) put(key string, values measurements) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey == nil {
		s.byKey = map[string]measurements{}
	}
	if _, known := s.byKey[key]; !known {
		s.order = append(s.order, key)
	}
	s.byKey[key] = maps.Clone(values)
	for len(s.order) > maxSeen {
		delete(s.byKey, s.order[0])
		s.order = s.order[1:]
	}
}

// take forgets what was seen under the key and gives it.
func (s *seen) take(key string) (measurements, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	values, ok := s.byKey[key]
	delete(s.byKey, key)
	return values, ok
}
