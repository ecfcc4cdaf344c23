package grammar

import "encoding/json"

// quote is a text as JSON.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic("a string has no JSON: " + err.Error())
	}
	return string(b)
}
