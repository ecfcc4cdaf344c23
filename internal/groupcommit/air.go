package groupcommit

import "time"

// air is where batches are that are committed and not yet durable: one whose sync is
// under way, and one whose sync is next.
type air[T any] struct {
	up     chan flight[T]
	landed chan error
	flying int   // as far as the writer knows
	lost   error // one has landed, and does not last
}

const maxFlying = 2

type flight[T any] struct {
	all     []*request[T]
	durable func() error
}

func newAir[T any]() air[T] {
	return air[T]{up: make(chan flight[T], maxFlying), landed: make(chan error, maxFlying)}
}

func (a *air[T]) land(err error) {
	a.flying--
	if a.lost == nil {
		a.lost = err
	}
}

// look notes which have landed.
func (a *air[T]) look() {
	for a.flying > 0 {
		select {
		case err := <-a.landed:
			a.land(err)
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

// sync is the goroutine beside the writer.
func (w *Writer[T]) sync() {
	for f := range w.air.up {
		w.air.landed <- w.finish(f)
	}
}

// finish makes a batch durable and tells it so.
func (w *Writer[T]) finish(f flight[T]) error {
	began := time.Now()
	err := f.durable()
	w.pace.synced(time.Since(began))
	w.step()
	w.tell(f.all, err)
	return err
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
	if err := w.finish(f); err != nil {
		w.giveUp()
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
		case err := <-w.air.landed:
			w.pace.waited(time.Since(began))
			w.air.land(err)
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
	return w.air.lost != nil || w.air.flying < maxFlying && 2*have >= callers && w.pace.halves(callers)
}
