package groupcommit

import (
	"errors"
	"time"
)

// air is where batches are that have had their turn and are not yet durable: one
// that is being written, one that is being synced, and one that is next.
type air[T any] struct {
	up      chan flight[T]
	written chan flight[T]
	landed  chan landing[T]
	flying  int           // as far as the writer knows
	lost    error         // one has landed, and does not last
	again   []*request[T] // have landed, and are to be run anew
}

const maxFlying = 2

// flight is a batch in the air.
type flight[T any] struct {
	all  []*request[T]
	rest Rest
	err  error
}

// landing is the end of one: its error, or those who are to be run anew.
type landing[T any] struct {
	err   error
	again []*request[T]
}

func newAir[T any]() air[T] {
	return air[T]{up: make(chan flight[T], maxFlying), written: make(chan flight[T], maxFlying), landed: make(chan landing[T], maxFlying)}
}

func (a *air[T]) land(l landing[T]) {
	a.flying--
	a.note(l)
}

func (a *air[T]) note(l landing[T]) {
	if a.lost == nil {
		a.lost = l.err
	}
	a.again = append(a.again, l.again...)
}

// look notes which have landed.
func (a *air[T]) look() {
	for a.flying > 0 {
		select {
		case l := <-a.landed:
			a.land(l)
		default:
			return
		}
	}
}

// clear waits until all have landed.
func (a *air[T]) clear() {
	for a.flying > 0 {
		a.land(<-a.landed)
	}
}

// fly and sync are the goroutines beside the writer.
func (w *Writer[T]) fly() {
	defer close(w.air.written)
	for f := range w.air.up {
		w.air.written <- w.put(f)
	}
}

func (w *Writer[T]) sync() {
	for f := range w.air.written {
		w.air.landed <- w.finish(f)
	}
}

// put writes a batch.
func (w *Writer[T]) put(f flight[T]) flight[T] {
	if f.rest.Write != nil {
		f.err = f.rest.Write()
		w.step()
	}
	return f
}

// finish makes a batch durable and tells it so.
func (w *Writer[T]) finish(f flight[T]) landing[T] {
	if errors.Is(f.err, ErrAgain) {
		return landing[T]{again: f.all}
	}
	if f.err == nil {
		began := time.Now()
		f.err = f.rest.Sync()
		w.pace.synced(time.Since(began))
		w.step()
	}
	w.tell(f.all, f.err)
	return landing[T]{err: f.err}
}

// send has a batch made durable: beside the writer, where others wait for it.
func (w *Writer[T]) send(f flight[T], wave []*request[T]) (next []*request[T]) {
	if len(wave) == 0 {
		wave = w.gather(nil, maxBatch)
	}
	if len(wave) > 0 || w.air.flying > 0 {
		w.air.flying++
		w.air.up <- f
		return wave
	}
	w.air.note(w.finish(w.put(f)))
	if w.air.lost != nil {
		w.giveUp()
	} else if w.air.again != nil {
		return w.commit(batch[T]{}, nil)
	}
	return nil
}

// more is who else is to be in a batch. While another is in the air, it waits for
// them.
func (w *Writer[T]) more(have int) []*request[T] {
	for {
		if wave := w.gather(nil, maxBatch-have); len(wave) > 0 || w.air.flying == 0 {
			return wave
		}
		queue := w.queue
		if have >= maxBatch {
			queue = nil
		}
		began := time.Now()
		select {
		case r := <-queue:
			w.pace.waited(time.Since(began))
			return w.gather([]*request[T]{r}, maxBatch-have)
		case l := <-w.air.landed:
			w.pace.waited(time.Since(began))
			w.air.land(l)
		}
		if w.enough(have) {
			return nil
		}
	}
}

// enough reports whether a batch is to be committed though others wait.
func (w *Writer[T]) enough(have int) bool {
	w.air.look()
	callers := int(w.callers.Load())
	return w.air.lost != nil || w.air.again != nil || w.air.flying < maxFlying && 2*have >= callers && w.pace.halves(callers)
}
