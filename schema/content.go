package schema

import (
	"encoding/base64"
	"errors"
)

// maxContent bounds strings that hold JSON that holds strings that hold JSON.
const maxContent = 8

// decode gives the text that a string with content holds.
func (c *contentRule) decode(text string) ([]byte, error) {
	if !c.base64 {
		return []byte(text), nil
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errors.New("it is not base64")
	}
	return b, nil
}

// read gives the JSON value that a string holds; ok is false where the content
// is not said to be JSON.
func (c *contentRule) read(text string) (v Value, isJSON bool, err error) {
	b, err := c.decode(text)
	if err != nil || !c.json {
		return Value{}, false, err
	}
	v, err = Read(b, nil)
	return v, true, err
}

func (m *machine) contentValid(c *contentRule, text string) bool {
	v, isJSON, err := c.read(text)
	if err != nil {
		return false
	}
	if !isJSON || c.schema == nil {
		return true
	}
	if m.content >= maxContent {
		m.over = true
		return false
	}
	outer := m.d
	m.d = v.d
	m.content++
	ok := m.valid(c.schema, v.i)
	m.content--
	m.d = outer
	return ok
}
