package main

import (
	"bytes"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// masker keeps secrets out of what is shown of a proposed call.
type masker struct {
	catalog *holdfast.Catalog
	names   wire.Names // sent name to qualified
	team    map[string]*masker
}

// of is the masker for what that agent proposes.
func (m *masker) of(agent string) *masker {
	if other := m.team[agent]; other != nil {
		return other
	}
	return m
}

// notShown stands for arguments that may hold a secret and cannot be masked.
const notShown = "[not shown: it may hold a secret]"

// arguments are the text of a call as it may be shown.
func (m *masker) arguments(sent, text string) string {
	t := m.secretive(sent)
	if t == nil || text == "" {
		return text
	}
	v, err := schema.Read([]byte(text), nil)
	if err != nil {
		return notShown
	}
	return string(t.Input().Mask(v))
}

// secretive is the tool of that sent name if it takes a secret, else nil.
func (m *masker) secretive(sent string) *holdfast.Tool {
	if qualified, ok := m.names[sent]; ok {
		sent = qualified
	}
	t, ok := m.catalog.Lookup(sent)
	if !ok || !bytes.Contains(t.Input().Source(), []byte("writeOnly")) {
		return nil
	}
	return t
}
