package grammar

// About how many bytes the parts take of what a machine holds.
const (
	positionBytes = 320
	wayBytes      = 80
	rowBytes      = 128
	maskBytes     = 96
	looseBytes    = 128

	defaultCache = 16 << 20
)

// keep counts what was worked out, and drops everything once it is too much. A
// matcher keeps the position where it stands.
func (m *machine) keep(bytes int64) {
	if m.held.Add(bytes) <= m.limit {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held.Load() <= m.limit {
		return
	}
	m.held.Store(0)
	m.positions = positionTable{}
	clear(m.frames)
	clear(m.loose)
	for _, p := range []*position{m.start, m.finish} {
		p.rows.Store(nil)
		p.masks.Store(nil)
		p.valid.Store(nil)
		m.positions.add(p)
	}
}
