package frames

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	preludeBytes = 12 // two lengths and their checksum
	minMessage   = preludeBytes + 4
)

// messages reads whole messages and checks both checksums of each.
func (r *Reader) messages(work []byte, frame func(Frame)) int {
	start := 0
	for len(work)-start >= preludeBytes {
		b := work[start:]
		total, headers := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		if crc32.ChecksumIEEE(b[:8]) != binary.BigEndian.Uint32(b[8:]) {
			r.err = errChecksum
			return 0
		}
		if total > MaxFrame {
			r.err = ErrTooLarge
			return 0
		}
		if total < minMessage || headers > total-minMessage {
			r.err = errLength
			return 0
		}
		if uint32(len(b)) < total {
			break
		}
		body := b[:total-4]
		if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(b[total-4:]) {
			r.err = errChecksum
			return 0
		}
		f := Frame{Format: EventStream, Data: body[preludeBytes+headers:]}
		if !f.headers(body[preludeBytes : preludeBytes+headers]) {
			r.err = errHeaders
			return 0
		}
		frame(f)
		start += int(total)
	}
	return start
}

// headerValues are the lengths of a header's value by its type; the variable
// ones begin with a length of two bytes.
var headerValues = [...]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: -1, 7: -1, 8: 8, 9: 16}

func (f *Frame) headers(b []byte) bool {
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < n+2 {
			return false
		}
		name, kind := b[1:n+1], int(b[n+1])
		b = b[n+2:]
		if kind >= len(headerValues) {
			return false
		}
		size := headerValues[kind]
		if size < 0 {
			if len(b) < 2 {
				return false
			}
			size = int(binary.BigEndian.Uint16(b))
			b = b[2:]
		}
		if len(b) < size {
			return false
		}
		switch string(name) {
		case ":event-type", ":exception-type", ":error-code":
			f.Event = b[:size]
		case ":message-type":
			f.Message = b[:size]
		}
		b = b[size:]
	}
	return true
}
