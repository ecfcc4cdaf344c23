package schema

import (
	"errors"
	"regexp"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// pattern is a regular expression in ECMAScript's sense. One of three engines
// runs it: a table for what is simple and looks at ASCII, RE2 for what it can
// take, and a backtracking engine under a time limit for the rest.
type pattern struct {
	src   string
	table *automaton
	re    *regexp.Regexp
	slow  *regexp2.Regexp
}

const (
	// slowTime and slowText bound the backtracking engine: the first ends it,
	// the second keeps its work small.
	slowTime = 50 * time.Millisecond
	slowText = 4 << 10
	// slowTotal bounds what all such patterns of one validation take together.
	slowTotal = 250 * time.Millisecond
)

func newPattern(src string) (*pattern, error) {
	t := translator{src: src}
	re2, err := t.translate()
	if err != nil {
		return nil, err
	}
	p := &pattern{src: src}
	if !t.backtracks {
		re, err := regexp.Compile(re2)
		if err == nil {
			p.re, p.table = re, newAutomaton(re2)
			return p, nil
		}
		// RE2 bounds repetition and size; the other engine may still take it.
	}
	t = translator{src: src, net: true}
	net, err := t.translate()
	if err != nil {
		return nil, err
	}
	if p.slow, err = regexp2.Compile(net); err != nil {
		return nil, errors.New("no engine here takes it")
	}
	p.slow.MatchTimeout = slowTime
	return p, nil
}

// match reports whether the pattern matches anywhere in text; late that it
// could not be decided within the limits.
func (p *pattern) match(text string, ascii bool) (ok, late bool) {
	if p.table != nil && ascii {
		return p.table.match(text), false
	}
	if p.re != nil {
		return p.re.MatchString(text), false
	}
	if len(text) > slowText {
		return false, true
	}
	ok, err := p.slow.MatchString(text)
	return ok, err != nil
}

// hint puts the simplest patterns into words.
func (p *pattern) hint() string {
	switch p.src {
	case `\S`, `.*\S.*`, `\S+`:
		return " (not blank)"
	case `^\d+$`, `^[0-9]+$`:
		return " (digits only)"
	}
	return ""
}
