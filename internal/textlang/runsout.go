package textlang

// RunsOut reports whether some text from a state on comes to an end behind which
// nothing may stand, so that few words go on from there. It says so too where to find
// out would take long.
func RunsOut(m Machine, q int32) bool {
	if q == Dead {
		return false
	}
	switch m := m.(type) {
	case anyText:
		return false
	case *lazy:
		return m.runsOut(q)
	case *Labelled:
		return !m.every && m.runsOut(q)
	}
	return true
}

func (l *lazy) runsOut(q int32) bool {
	if out, known := l.out[q]; known {
		return out
	}
	if l.out == nil {
		l.out = map[int32]bool{}
	}
	seen := map[int32]bool{q: true}
	queue := []int32{q}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		leads := false
		for c := range l.starts {
			if surrogateClass(l.starts, c) {
				continue
			}
			if to := l.stepClass(s, c); to != Dead {
				leads = true
				if !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			}
		}
		if !leads || len(seen) > maxOpen {
			l.out[q] = true
			return true
		}
	}
	for s := range seen {
		l.out[s] = false
	}
	return false
}
