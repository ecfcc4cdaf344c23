package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/internal/digest"
	"github.com/holdfast-go/holdfast/internal/visible"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/rule"
	"github.com/holdfast-go/holdfast/schema"
)

// SuggestOptions widen the rule that [Suggest] makes; nil and zero: it covers
// exactly the call that was asked about.
type SuggestOptions struct {
	// Free are names of arguments that may be anything, or left out.
	Free []string
	// When are conditions that stand in the place of "exactly this" for the
	// argument that their path begins with. The call itself must fulfil them.
	When []rule.Condition
	// Tenant makes it a rule for every principal of the tenant.
	Tenant bool
	// Lasts is how long the rule holds; 0 means 30 days, and a year is the most.
	Lasts time.Duration
}

const (
	defaultLasts = 30 * 24 * time.Hour
	maxLasts     = 366 * 24 * time.Hour
)

// Suggest makes the rule by which a person who is asked for a, the approval of the
// entry e, would agree to calls like it from now on. It is to be shown whole, with
// [Describe], before [ledger.Ledger.ApproveAlways] saves it.
func Suggest(a ledger.Approval, e ledger.Entry, o *SuggestOptions) (rule.Saved, error) {
	if o == nil {
		o = new(SuggestOptions)
	}
	switch {
	case a.Unresolved != "":
		return rule.Saved{}, errors.New("no rule can be made: it is asked because another write is unresolved, and that is asked each time")
	case a.Finding.NeedsApproval:
		return rule.Saved{}, errors.New("no rule can be made: the tool's own check asked for a person, and asks each time")
	}
	args, err := schema.Read(a.Arguments, nil)
	if err != nil || args.Kind() != schema.Object {
		return rule.Saved{}, errors.New("no rule can be made: its arguments are not there any more")
	}
	if digest.Of(args.Canonical()) != e.ArgumentsDigest {
		return rule.Saved{}, errors.New("no rule can be made: its arguments hold a secret that is not shown")
	}
	r := rule.Saved{
		Tool: a.Tool, ToolDigest: a.ToolDigest, Principal: a.Principal, Despite: slices.Clone(a.Labels), Approval: a.ID, Lasts: o.Lasts,
	}
	if o.Tenant {
		r.Principal.ID = ""
	}
	if r.Lasts == 0 {
		r.Lasts = defaultLasts
	}
	if r.Lasts < 0 || r.Lasts > maxLasts {
		return rule.Saved{}, fmt.Errorf("a rule lasts at most %d days", maxLasts/(24*time.Hour))
	}
	if err := constrain(&r, args, o); err != nil {
		return rule.Saved{}, err
	}
	return r, nil
}

// constrain gives every argument its condition: the one that was given for it,
// none where it is free, else that it is exactly what it is now.
func constrain(r *rule.Saved, args schema.Value, o *SuggestOptions) error {
	given := map[string][]rule.Condition{}
	for _, c := range o.When {
		if err := c.Check(); err != nil {
			return fmt.Errorf("condition on %s: %w", c.Path, err)
		}
		name := topName(c.Path)
		if _, there := args.Get(name); !there {
			return fmt.Errorf("the call has no argument %q to set a condition for", name)
		}
		if !c.Holds(args) {
			return fmt.Errorf("the call itself does not fulfil %s", c)
		}
		given[name] = append(given[name], c)
	}
	for name, v := range args.Members() {
		r.Arguments = append(r.Arguments, name)
		switch {
		case given[name] != nil:
			r.When = append(r.When, given[name]...)
		case !slices.Contains(o.Free, name):
			r.When = append(r.When, rule.Condition{Path: "/" + escapeStep(name), Op: "==", Value: v.Raw()})
		}
	}
	for _, name := range o.Free {
		if !slices.Contains(r.Arguments, name) {
			r.Arguments = append(r.Arguments, name)
		}
		if given[name] != nil {
			return fmt.Errorf("argument %q cannot be free and have a condition", name)
		}
	}
	return nil
}

func topName(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
}

func escapeStep(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// Describe shows a saved rule, or one that would be saved, whole: one thing a
// line, safe to show.
func Describe(r rule.Saved) []string {
	who := "everybody of tenant " + visible.Line(r.Principal.Tenant)
	switch {
	case r.Principal.ID != "" && r.Principal.Tenant != "":
		who = visible.Line(r.Principal.Tenant + "/" + r.Principal.ID)
	case r.Principal.ID != "":
		who = visible.Line(r.Principal.ID)
	case r.Principal.Tenant == "":
		who = "everybody"
	}
	lines := []string{visible.Line(r.Tool) + " runs for " + who + " without asking, when"}
	for _, name := range r.Arguments {
		said := false
		for _, c := range r.When {
			if topName(c.Path) == name {
				lines = append(lines, "  "+shown(c))
				said = true
			}
		}
		if !said {
			lines = append(lines, "  "+visible.Line(name)+" is anything, or left out")
		}
	}
	lines = append(lines, "  and no other argument is given")
	for _, l := range r.Despite {
		lines = append(lines, "also in a conversation that holds "+visible.Line(string(l.Name()))+" text from "+visible.Line(l.From()))
	}
	until := fmt.Sprintf("for %s", span(r.Lasts))
	if !r.Expires.IsZero() {
		until = "until " + r.Expires.UTC().Format("2006-01-02 15:04 UTC")
	}
	return append(lines, until+", as long as the tool's definition stays the same")
}

func shown(c rule.Condition) string {
	path := strings.TrimPrefix(c.Path, "/")
	if c.Value == nil {
		return visible.Line(path + " " + c.Op)
	}
	return visible.Line(path+" "+c.Op+" ") + visible.JSON(c.Value)
}

// span is a length of time in the words of a person.
func span(d time.Duration) string {
	if days := d / (24 * time.Hour); days > 1 && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%d days", days)
	}
	return d.String()
}

// Fingerprint tells two rules apart by all that they say of calls to come: what is
// saved must be what was shown.
func Fingerprint(r rule.Saved) string {
	text, err := json.Marshal([]any{r.Tool, r.ToolDigest, r.Arguments, r.When, r.Principal, r.Despite, r.Lasts, r.Approval})
	if err != nil {
		panic("policy: a rule does not marshal: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
