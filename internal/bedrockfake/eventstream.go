package bedrockfake

import (
	"encoding/binary"
	"hash/crc32"
)

// message is one message of an AWS event stream.
func message(event string, payload []byte) []byte {
	var headers []byte
	for _, h := range [][2]string{{":event-type", event}, {":content-type", "application/json"}, {":message-type", "event"}} {
		headers = append(append(headers, byte(len(h[0]))), h[0]...)
		headers = binary.BigEndian.AppendUint16(append(headers, 7), uint16(len(h[1])))
		headers = append(headers, h[1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
