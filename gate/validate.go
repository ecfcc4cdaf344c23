package gate

import "github.com/holdfast-go/holdfast"

// validate asks whether the arguments satisfy the schema. Only a tool that opts
// in has them coerced first; what was changed is recorded, and the result is
// validated like any other.
func (g *Gate) validate(c *call) *holdfast.Outcome {
	input := c.tool.Input()
	if c.info.options.Coerce {
		before := c.args
		c.args, c.coerced = input.Coerce(c.args)
		c.text = c.args.Raw()
		if c.info.secrets {
			c.coerced = maskCoercions(input, before, c.args, c.coerced)
		}
	}
	g.hide(c)
	report := input.Validate(c.args)
	c.warnings = report.Warnings
	if !report.Valid() {
		return c.invalid(report.Problems)
	}
	if c.effect() != holdfast.Read {
		c.canon()
	}
	return nil
}
