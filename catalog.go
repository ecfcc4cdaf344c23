package holdfast

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Catalog is a closed, ordered set of tools. It is fixed for a turn, so one
// name always means one action. Immutable and safe for concurrent use.
type Catalog struct {
	namespace string
	tools     []*Tool
	byName    map[string]*Tool
}

// NewCatalog makes a catalog of at least one tool. The namespace may be empty;
// with one, people and policy see tools as namespace.tool. Two equal names, or
// two that are equal without the namespace, are an error.
func NewCatalog(namespace string, tools ...*Tool) (*Catalog, error) {
	if namespace != "" {
		if err := checkName(namespace); err != nil {
			return nil, fmt.Errorf("catalog namespace: %w", err)
		}
		if strings.ContainsAny(namespace, "./") {
			return nil, fmt.Errorf("catalog namespace %q: must not hold . or /", namespace)
		}
	}
	if len(tools) == 0 {
		return nil, errors.New("catalog has no tools")
	}
	c := &Catalog{namespace: namespace, tools: slices.Clone(tools), byName: make(map[string]*Tool, 2*len(tools))}
	for i, t := range tools {
		if t == nil {
			return nil, fmt.Errorf("catalog: tool %d is nil", i)
		}
		for _, name := range []string{t.Name(), c.Qualify(t)} {
			if other, ok := c.byName[name]; ok && other != t {
				return nil, fmt.Errorf("catalog: two tools are called %q", name)
			}
			if slices.Contains(tools[:i], t) {
				return nil, fmt.Errorf("catalog: tool %q stands in it twice", name)
			}
			c.byName[name] = t
		}
	}
	return c, nil
}

// Namespace of the catalog, or "".
func (c *Catalog) Namespace() string { return c.namespace }

// Tools in order. The caller may keep and change the slice.
func (c *Catalog) Tools() []*Tool { return slices.Clone(c.tools) }

// Qualify is t's name as people, policy and the ledger use it.
func (c *Catalog) Qualify(t *Tool) string {
	if c.namespace == "" {
		return t.Name()
	}
	return c.namespace + "." + t.Name()
}

// Lookup finds a tool by its bare or qualified name, exactly.
func (c *Catalog) Lookup(name string) (*Tool, bool) {
	t, ok := c.byName[name]
	return t, ok
}

// Nearest lists up to three bare names that name may have meant, nearest first.
func (c *Catalog) Nearest(name string) []string {
	type candidate struct {
		name     string
		distance int
	}
	name = strings.ToLower(strings.TrimPrefix(name, c.namespace+"."))
	if len(name) > maxNameBytes {
		name = name[:maxNameBytes]
	}
	var near []candidate
	for _, t := range c.tools {
		d := editDistance(name, strings.ToLower(t.Name()))
		if d <= max(2, len(t.Name())/3) {
			near = append(near, candidate{t.Name(), d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, n := range near[:min(3, len(near))] {
		names = append(names, n.name)
	}
	return names
}

// editDistance is Levenshtein's, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
