package coach

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
)

// Options of Open; nil means defaults.
type Options struct {
	// Location is the person's time zone, in which dates are meant; nil means
	// the system's.
	Location *time.Location
	// Fault makes the store fail, for tests: it is asked at each [Point], and
	// its error is the store's. Nil: never.
	Fault func(Point) error
}

// Point is a place where a test can make the store fail.
type Point string

// The points. An error before the commit means that nothing was written, one at
// or after it that this is not known to the tool.
const (
	Reading      Point = "reading"      // before a table is read
	Writing      Point = "writing"      // before a write's transaction begins
	Committing   Point = "committing"   // in place of the commit: the write is lost
	AfterCommit  Point = "after commit" // the write is there, but its answer is lost
	ReadingBack  Point = "reading back" // within a confirm function
	Precondition Point = "precondition" // within a precondition
)

// Coach is the open store and the tools over it. Safe for concurrent use, also
// by several processes over one file.
type Coach struct {
	store    *store
	location *time.Location
	catalog  *holdfast.Catalog
	seen     seen
}

// Open opens the SQLite file at path, makes it if need be (mode 0600), and
// brings its tables up to date.
func Open(ctx context.Context, path string, o *Options) (*Coach, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Location == nil {
		opts.Location = time.Local
	}
	st, err := openStore(ctx, path, opts.Fault)
	if err != nil {
		return nil, fmt.Errorf("coach's data %q: %w", path, err)
	}
	c := &Coach{store: st, location: opts.Location}
	if c.catalog, err = c.tools(); err != nil {
		return nil, errors.Join(err, st.close())
	}
	return c, nil
}

// Catalog of the coach's eight tools.
func (c *Coach) Catalog() *holdfast.Catalog { return c.catalog }

// Close closes the store. Calls that still run fail.
func (c *Coach) Close() error { return c.store.close() }

// tools in the order in which a model reads them.
func (c *Coach) tools() (*holdfast.Catalog, error) {
	makers := []func() (*holdfast.Tool, error){
		c.searchFoods, c.readMealFoods, c.addMealFood,
		c.readMeasurement, c.writeMeasurement,
		c.searchExercises, c.readRoutines, c.createRoutine,
	}
	var tools []*holdfast.Tool
	for _, make := range makers {
		t, err := make()
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return holdfast.NewCatalog("", tools...)
}
