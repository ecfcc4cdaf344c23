package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast"
)

// storedLabels are the labels of a root run; the row's id is the run's.
type storedLabels struct {
	Labels []holdfast.Label `json:"labels"`
}

// Labels of a run: its own, and those of the runs that it shares them with.
func (l *Ledger) Labels(ctx context.Context, run string) ([]holdfast.Label, error) {
	var list []holdfast.Label
	err := l.view(ctx, func(t *txn) (err error) {
		list, err = t.labelsOf(run)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading labels of run %s: %w", run, err)
	}
	return list, nil
}

// Mark adds a label to a run and to those that share its labels. It is durable
// when Mark returns, and never taken back.
func (l *Ledger) Mark(ctx context.Context, run string, label holdfast.Label) error {
	had, err := l.Labels(ctx, run)
	if err != nil || slices.Contains(had, label) {
		return err
	}
	err = l.update(ctx, func(t *txn) error {
		root, err := t.rootOf(run)
		if err != nil {
			return err
		}
		had, err := t.labelsAt(root)
		if err != nil || slices.Contains(had, label) {
			return err
		}
		return t.put(labels, root, [7]string{}, storedLabels{append(slices.Clone(had), label)})
	})
	if err != nil {
		return fmt.Errorf("marking run %s as %s: %w", run, label, err)
	}
	return nil
}

// rootOf is the run that a run shares its labels and budgets with: itself, where
// it shares none or is not known.
func (t *txn) rootOf(run string) (string, error) {
	if run == "" {
		return "", nil
	}
	s, err := get[storedRun](t, runs, run)
	if err != nil || s == nil || s.Root == "" {
		return run, err
	}
	return s.Root, nil
}

// sharedRoot is the root of a run that is made, "" for itself.
func (t *txn) sharedRoot(s *storedRun) (string, error) {
	shared := s.Root
	if shared == "" && s.Parent != "" {
		around, err := t.getEntry(s.Parent)
		if err != nil {
			return "", err
		}
		if around != nil {
			shared = around.Run
		}
	}
	root, err := t.rootOf(shared)
	if root == s.ID {
		root = ""
	}
	return root, err
}

func (t *txn) labelsOf(run string) ([]holdfast.Label, error) {
	root, err := t.rootOf(run)
	if err != nil {
		return nil, err
	}
	return t.labelsAt(root)
}

func (t *txn) labelsAt(root string) ([]holdfast.Label, error) {
	s, err := get[storedLabels](t, labels, root)
	if err != nil || s == nil {
		return nil, err
	}
	return s.Labels, nil
}

// labelled is a run with its labels.
func (t *txn) labelled(s *storedRun) (Run, error) {
	r := s.run()
	root := s.ID
	if s.Root != "" {
		root = s.Root
	}
	var err error
	r.Labels, err = t.labelsAt(root)
	return r, err
}
