package schema

import "strings"

// dialect is what the keywords of one resource mean.
type dialect struct {
	draft draftNumber
	vocab vocabulary
}

// draftNumber orders the drafts.
type draftNumber uint8

const (
	draft4 draftNumber = iota + 1
	draft6
	draft7
	draft2019
	draft2020
)

var draftNumbers = map[Draft]draftNumber{
	Draft4: draft4, Draft6: draft6, Draft7: draft7, Draft201909: draft2019, Draft202012: draft2020,
}

// draftAddresses are the metaschemas' addresses without fragment.
var draftAddresses = map[string]draftNumber{
	"http://json-schema.org/draft-04/schema":       draft4,
	"http://json-schema.org/draft-06/schema":       draft6,
	"http://json-schema.org/draft-07/schema":       draft7,
	"https://json-schema.org/draft/2019-09/schema": draft2019,
	"https://json-schema.org/draft/2020-12/schema": draft2020,
}

// standardDraft recognises a metaschema's address as people write it.
func standardDraft(address string) (draftNumber, bool) {
	address = strings.TrimSuffix(address, "#")
	if n, ok := draftAddresses[address]; ok {
		return n, true
	}
	if rest, ok := strings.CutPrefix(address, "http://"); ok {
		n, ok := draftAddresses["https://"+rest]
		return n, ok
	}
	rest, _ := strings.CutPrefix(address, "https://")
	n, ok := draftAddresses["http://"+rest]
	return n, ok
}

// vocabulary is a set of the vocabularies of 2019-09 and 2020-12.
type vocabulary uint8

const (
	vocabCore vocabulary = 1 << iota
	vocabApplicator
	vocabUnevaluated
	vocabValidation
	vocabMeta
	vocabFormat
	vocabFormatAssert
	vocabContent

	vocabStandard = vocabCore | vocabApplicator | vocabUnevaluated | vocabValidation | vocabMeta | vocabFormat | vocabContent
)

var vocabularyNames = map[string]vocabulary{
	"core":              vocabCore,
	"applicator":        vocabApplicator,
	"unevaluated":       vocabUnevaluated,
	"validation":        vocabValidation,
	"meta-data":         vocabMeta,
	"format":            vocabFormat,
	"format-annotation": vocabFormat,
	"format-assertion":  vocabFormat | vocabFormatAssert,
	"content":           vocabContent,
}

// vocabularyOf finds a standard vocabulary by its address.
func vocabularyOf(address string) (vocabulary, bool) {
	for _, draft := range []string{"2019-09", "2020-12"} {
		if name, ok := strings.CutPrefix(address, "https://json-schema.org/draft/"+draft+"/vocab/"); ok {
			v, ok := vocabularyNames[name]
			if name == "applicator" && draft == "2019-09" {
				v |= vocabUnevaluated // one vocabulary still
			}
			return v, ok
		}
	}
	return 0, false
}

// shape says where a keyword's value holds subschemas.
type shape uint8

const (
	shapeNone         shape = iota
	shapeSchema             // one
	shapeList               // an array of them
	shapeMap                // an object of them
	shapeSchemaOrList       // items of the older drafts
	shapeDependencies       // an object of them or of lists of names
)

// keyword is what is known of a word: when it means something, and where its
// value holds schemas.
type keyword struct {
	from, to draftNumber // to is 0 where it is still in use
	vocab    vocabulary
	shape    shape
}

// active reports whether the word means anything in the dialect.
func (k *keyword) active(d dialect) bool {
	return d.draft >= k.from && (k.to == 0 || d.draft <= k.to) && (d.draft < draft2019 || d.vocab&k.vocab != 0)
}

var keywords = keywordTable()

func keywordTable() map[string]*keyword {
	t := map[string]*keyword{}
	add := func(from, to draftNumber, vocab vocabulary, s shape, names ...string) {
		for _, n := range names {
			t[n] = &keyword{from, to, vocab, s}
		}
	}
	const c, a, v, m = vocabCore, vocabApplicator, vocabValidation, vocabMeta
	add(draft4, 0, c, shapeNone, "$schema", "$ref")
	add(draft7, 0, c, shapeNone, "$comment")
	add(draft4, draft4, c, shapeNone, "id")
	add(draft6, 0, c, shapeNone, "$id")
	add(draft2019, 0, c, shapeNone, "$anchor", "$vocabulary")
	add(draft2020, 0, c, shapeNone, "$dynamicAnchor", "$dynamicRef")
	add(draft2019, draft2019, c, shapeNone, "$recursiveAnchor", "$recursiveRef")
	add(draft2019, 0, c, shapeMap, "$defs")
	add(draft4, 0, c, shapeMap, "definitions")

	add(draft4, 0, v, shapeNone, "type", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "pattern", "uniqueItems", "required")
	add(draft6, 0, v, shapeNone, "const")
	add(draft2019, 0, v, shapeNone, "minContains", "maxContains", "dependentRequired")
	add(draft4, 0, vocabFormat|vocabFormatAssert, shapeNone, "format")

	add(draft4, 0, a, shapeMap, "properties", "patternProperties")
	add(draft4, 0, a, shapeSchema, "additionalProperties", "not")
	add(draft6, 0, a, shapeSchema, "propertyNames", "contains")
	add(draft7, 0, a, shapeSchema, "if", "then", "else")
	add(draft4, 0, a, shapeDependencies, "dependencies")
	add(draft2019, 0, a, shapeMap, "dependentSchemas")
	add(draft4, draft2019, a, shapeSchemaOrList, "items")
	add(draft4, draft2019, a, shapeSchema, "additionalItems")
	add(draft2020, 0, a, shapeList, "prefixItems")
	add(draft4, 0, a, shapeList, "allOf", "anyOf", "oneOf")
	add(draft2019, 0, vocabUnevaluated, shapeSchema, "unevaluatedProperties", "unevaluatedItems")

	add(draft7, 0, vocabContent, shapeNone, "contentEncoding", "contentMediaType")
	add(draft2019, 0, vocabContent, shapeSchema, "contentSchema")
	add(draft4, 0, m, shapeNone, "title", "description", "default")
	add(draft6, 0, m, shapeNone, "examples")
	add(draft7, 0, m, shapeNone, "readOnly", "writeOnly")
	add(draft2019, 0, m, shapeNone, "deprecated")
	return t
}

// itemsOf2020 is the meaning that "items" has from 2020-12 on.
var itemsOf2020 = &keyword{draft2020, 0, vocabApplicator, shapeSchema}

// find is the keyword of that name in a dialect, or nil.
func (d dialect) find(name string) *keyword {
	k := keywords[name]
	if name == "items" && d.draft >= draft2020 {
		k = itemsOf2020
	}
	if k == nil || !k.active(d) {
		return nil
	}
	return k
}
