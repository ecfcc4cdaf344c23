package schema

import (
	"embed"
	"strings"
)

// metaschemas are the drafts' own schemas: our wording of what they assert,
// under their addresses, so that references to them resolve.
//
//go:embed metaschemas
var metaschemas embed.FS

// metaschema is the document of a standard address.
func metaschema(address string) ([]byte, bool) {
	for _, prefix := range []string{"https://json-schema.org/", "http://json-schema.org/"} {
		if name, ok := strings.CutPrefix(address, prefix); ok {
			b, err := metaschemas.ReadFile("metaschemas/" + strings.ReplaceAll(name, "/", "_") + ".json")
			return b, err == nil
		}
	}
	return nil, false
}
