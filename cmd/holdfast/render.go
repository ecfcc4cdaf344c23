package main

import (
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/visible"
)

// shownResult is a result on one line, whole.
func shownResult(r *holdfast.Result) string {
	if r == nil {
		return ""
	}
	text := visible.Line(r.Text)
	if r.JSON != nil {
		text = visible.JSON(r.JSON)
	}
	if len(r.Images) > 0 {
		text += fmt.Sprintf(" [%s]", count(len(r.Images), "image"))
	}
	return text
}
