package textlang

// LeapSeconds is the texts in which what follows so many characters may be RFC
// 3339's time of day, as far as leap seconds go: second 60 ends a day in UTC, so
// that local hour and minute say what the offset must be. Of other seconds it says
// nothing, nor of what follows the offset.
func LeapSeconds(behind int) *Formula { return Is(newLazy(leap{behind})) }

// leap is a source. A key is what is read next, and a number: how many characters
// come before the time, then the minute of the day, then that of the offset.
type leap struct{ behind int }

const (
	leapBefore = iota
	leapHour
	leapHour2
	leapColon
	leapMinute
	leapMinute2
	leapColon2
	leapSecond
	leapSecond2
	leapFraction
	leapOffset // its five characters, one after the other
	leapEnd    = leapOffset + 5

	dayMinutes = 24 * 60
)

// leapWorth is how many minutes a digit counts.
var leapWorth = [...]int32{leapHour: 600, leapHour2: 60, leapMinute: 10, leapMinute2: 1}

func leapKey(next []byte, stage int, n int32) []byte {
	return appendState(append(next, byte(stage)), n)
}

func (l leap) first() []byte {
	if l.behind == 0 {
		return leapKey(nil, leapHour, 0)
	}
	return leapKey(nil, leapBefore, int32(l.behind))
}

func (leap) step(next, key []byte, r rune) []byte {
	stage, n := int(key[0]), stateAt(key[1:], 0)
	digit := '0' <= r && r <= '9'
	switch stage {
	case leapBefore:
		if n > 1 {
			return leapKey(next, leapBefore, n-1)
		}
		return leapKey(next, leapHour, 0)
	case leapHour, leapHour2, leapMinute, leapMinute2:
		if digit {
			return leapKey(next, stage+1, n+leapWorth[stage]*(r-'0'))
		}
	case leapColon, leapColon2:
		if r == ':' {
			return leapKey(next, stage+1, n)
		}
	case leapSecond:
		if r != '6' {
			return append(next, all...)
		}
		return leapKey(next, leapSecond2, n)
	case leapSecond2:
		if r == '0' {
			return leapKey(next, leapFraction, n)
		}
	case leapFraction:
		switch {
		case digit || r == '.':
			return leapKey(next, leapFraction, n)
		case (r == 'Z' || r == 'z') && n == dayMinutes-1:
			return append(next, all...)
		case r == '+':
			return leapKey(next, leapOffset, (n+1)%dayMinutes)
		case r == '-':
			return leapKey(next, leapOffset, (2*dayMinutes-1-n)%dayMinutes)
		}
	default:
		text := [...]rune{'0' + n/600, '0' + n/60%10, ':', '0' + n%60/10, '0' + n%10}
		switch {
		case r != text[stage-leapOffset]:
		case stage+1 == leapEnd:
			return append(next, all...)
		default:
			return leapKey(next, stage+1, n)
		}
	}
	return next
}

func (leap) settled(key []byte) []byte { return key }

func (leap) accept([]byte) bool { return false }

func (leap) bounds() []rune {
	out := []rune{0}
	for _, r := range "+,-./0123456789:;Z[z{" { // what is told apart, and what follows it
		out = append(out, r)
	}
	return out
}
