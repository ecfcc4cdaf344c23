package main

// forget drops what was typed before a question was shown: an approval is an
// answer to what a person has read. A pipe or a file is read as it comes.
func (l *lines) forget(terminal int) {
	if l.pending != nil {
		select {
		case <-l.pending:
			l.pending = nil
		default:
		}
	}
	if l.pending == nil {
		_, _ = l.in.Discard(l.in.Buffered())
	}
	dropTyped(terminal)
}
