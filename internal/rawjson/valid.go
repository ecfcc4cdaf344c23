package rawjson

// maxDepth bounds the recursion of Valid.
const maxDepth = 10_000

// Valid reports whether raw is exactly one JSON value, white space around it
// allowed. Repeated names and invalid UTF-8 are no fault here.
func Valid(raw []byte) bool {
	i := check(raw, space(raw, 0), 0)
	return i > 0 && space(raw, i) == len(raw)
}

// IsObject reports whether raw is exactly one valid JSON object.
func IsObject(raw []byte) bool { return Kind(raw) == '{' && Valid(raw) }

// check returns the index behind the value at i, or -1.
func check(raw []byte, i, depth int) int {
	if i >= len(raw) || depth > maxDepth {
		return -1
	}
	switch c := raw[i]; {
	case c == '{':
		return checkObject(raw, i, depth)
	case c == '[':
		return checkArray(raw, i, depth)
	case c == '"':
		return checkString(raw, i)
	case c == '-' || isDigit(c):
		return checkNumber(raw, i)
	case c == 't':
		return checkWord(raw, i, "true")
	case c == 'f':
		return checkWord(raw, i, "false")
	case c == 'n':
		return checkWord(raw, i, "null")
	}
	return -1
}

func checkObject(raw []byte, i, depth int) int {
	if i = space(raw, i+1); i < len(raw) && raw[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(raw) || raw[i] != '"' {
			return -1
		}
		if i = checkString(raw, i); i < 0 {
			return -1
		}
		if i = space(raw, i); i >= len(raw) || raw[i] != ':' {
			return -1
		}
		if i = check(raw, space(raw, i+1), depth+1); i < 0 {
			return -1
		}
		if i = space(raw, i); i >= len(raw) {
			return -1
		}
		switch raw[i] {
		case '}':
			return i + 1
		case ',':
			i = space(raw, i+1)
		default:
			return -1
		}
	}
}

func checkArray(raw []byte, i, depth int) int {
	if i = space(raw, i+1); i < len(raw) && raw[i] == ']' {
		return i + 1
	}
	for {
		if i = check(raw, i, depth+1); i < 0 {
			return -1
		}
		if i = space(raw, i); i >= len(raw) {
			return -1
		}
		switch raw[i] {
		case ']':
			return i + 1
		case ',':
			i = space(raw, i+1)
		default:
			return -1
		}
	}
}

func checkString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i++; i >= len(raw) {
				return -1
			}
			switch raw[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex4(raw, i+1); !ok {
					return -1
				}
				i += 4
			default:
				return -1
			}
		}
	}
	return -1
}

func checkNumber(raw []byte, i int) int {
	if raw[i] == '-' {
		i++
	}
	if i >= len(raw) || !isDigit(raw[i]) {
		return -1
	}
	if raw[i] == '0' {
		i++
	} else {
		i = digits(raw, i)
	}
	if i < len(raw) && raw[i] == '.' {
		if i++; i >= len(raw) || !isDigit(raw[i]) {
			return -1
		}
		i = digits(raw, i)
	}
	if i < len(raw) && (raw[i] == 'e' || raw[i] == 'E') {
		if i++; i < len(raw) && (raw[i] == '+' || raw[i] == '-') {
			i++
		}
		if i >= len(raw) || !isDigit(raw[i]) {
			return -1
		}
		i = digits(raw, i)
	}
	return i
}

func digits(raw []byte, i int) int {
	for i < len(raw) && isDigit(raw[i]) {
		i++
	}
	return i
}

func checkWord(raw []byte, i int, word string) int {
	if len(raw)-i < len(word) || string(raw[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func hex4(raw []byte, i int) (rune, bool) {
	if i+4 > len(raw) {
		return 0, false
	}
	var r rune
	for _, c := range raw[i : i+4] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
