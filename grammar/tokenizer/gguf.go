package tokenizer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Limits of a GGUF file's metadata, which stands before its tensors.
const (
	maxMetadata = 256 << 20
	maxEntries  = 1 << 16
	maxElements = maxMerges
	maxKeyBytes = 1 << 16
)

// metadata are the entries of a GGUF file that are about its vocabulary.
type metadata struct {
	texts   map[string]string
	numbers map[string]int64
	lists   map[string][]string
	ints    map[string][]int32
	floats  map[string][]float32
}

// wanted is how the keys of those entries begin.
const wanted = "tokenizer.ggml."

// readMetadata reads the head of a GGUF file and stops before its tensors.
func readMetadata(r io.Reader) (*metadata, error) {
	g := &ggufReader{r: bufio.NewReaderSize(r, 1<<16), left: maxMetadata}
	if magic := g.bytes(4); string(magic) != "GGUF" {
		return nil, g.fault(fmt.Errorf("it begins with %q, no GGUF file does", magic))
	}
	if version := g.uint32(); version != 2 && version != 3 {
		return nil, g.fault(fmt.Errorf("its version is %d; 2 and 3 are read, little-endian", version))
	}
	g.uint64() // tensors
	count := g.uint64()
	if count > maxEntries {
		return nil, g.fault(fmt.Errorf("%d entries of metadata are over the limit of %d", count, maxEntries))
	}
	m := &metadata{map[string]string{}, map[string]int64{}, map[string][]string{}, map[string][]int32{}, map[string][]float32{}}
	for range count {
		key := g.string(maxKeyBytes)
		short, ours := strings.CutPrefix(key, wanted)
		if !ours {
			g.skip(g.uint32(), 0)
		} else {
			g.entry(m, short)
		}
		if g.err != nil {
			return nil, fmt.Errorf("entry %q: %w", bounded(key), g.err)
		}
	}
	return m, g.err
}

// ggufReader reads little-endian values until one of them cannot be read.
type ggufReader struct {
	r    *bufio.Reader
	left int // bytes that may still be read
	err  error
	word [8]byte
}

// fault is the error of reading where there is one, else why.
func (g *ggufReader) fault(why error) error {
	if g.err != nil {
		return g.err
	}
	return why
}

func (g *ggufReader) take(n uint64) bool {
	if g.err == nil && n > uint64(g.left) {
		g.err = fmt.Errorf("the metadata is over the limit of %d bytes", maxMetadata)
	}
	if g.err != nil {
		return false
	}
	g.left -= int(n)
	return true
}

// bytes gives at most eight, valid until the next call.
func (g *ggufReader) bytes(n int) []byte {
	if !g.take(uint64(n)) {
		return make([]byte, n)
	}
	if _, err := io.ReadFull(g.r, g.word[:n]); err != nil {
		g.err = cut(err)
		return make([]byte, n)
	}
	return g.word[:n]
}

func (g *ggufReader) uint32() uint32 { return binary.LittleEndian.Uint32(g.bytes(4)) }
func (g *ggufReader) uint64() uint64 { return binary.LittleEndian.Uint64(g.bytes(8)) }

// string allocates as the bytes come, whatever the length says.
func (g *ggufReader) string(limit uint64) string {
	n := g.uint64()
	if n > limit && g.err == nil {
		g.err = fmt.Errorf("a text of %d bytes is over the limit of %d", n, limit)
	}
	if !g.take(n) {
		return ""
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, g.r, int64(n)); err != nil {
		g.err = cut(err)
		return ""
	}
	return b.String()
}

func (g *ggufReader) discard(n uint64) {
	if !g.take(n) {
		return
	}
	if _, err := io.CopyN(io.Discard, g.r, int64(n)); err != nil {
		g.err = cut(err)
	}
}

func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends within its metadata")
	}
	return err
}

// The types of GGUF values.
const (
	ggufUint8 = iota
	ggufInt8
	ggufUint16
	ggufInt16
	ggufUint32
	ggufInt32
	ggufFloat32
	ggufBool
	ggufString
	ggufArray
	ggufUint64
	ggufInt64
	ggufFloat64
)

// width is how many bytes a value of fixed width has; 0: it is no such type.
func width(kind uint32) uint64 {
	switch kind {
	case ggufUint8, ggufInt8, ggufBool:
		return 1
	case ggufUint16, ggufInt16:
		return 2
	case ggufUint32, ggufInt32, ggufFloat32:
		return 4
	case ggufUint64, ggufInt64, ggufFloat64:
		return 8
	}
	return 0
}

// skip passes over a value; lists of lists are as deep as they are allowed to be.
func (g *ggufReader) skip(kind uint32, depth int) {
	switch {
	case g.err != nil:
	case width(kind) > 0:
		g.discard(width(kind))
	case kind == ggufString:
		g.discard(g.uint64())
	case kind == ggufArray && depth < 4:
		element, n := g.list()
		if w := width(element); w > 0 {
			g.discard(w * n)
			return
		}
		for i := uint64(0); i < n && g.err == nil; i++ {
			g.skip(element, depth+1)
		}
	default:
		g.err = fmt.Errorf("a value of the type %d is not known here", kind)
	}
}

func (g *ggufReader) list() (element uint32, n uint64) {
	element, n = g.uint32(), g.uint64()
	if n > maxElements && g.err == nil {
		g.err = fmt.Errorf("a list of %d is over the limit of %d", n, maxElements)
	}
	return element, n
}

// entry reads a value that may be about the vocabulary.
func (g *ggufReader) entry(m *metadata, key string) {
	switch kind := g.uint32(); kind {
	case ggufString:
		m.texts[key] = g.string(maxMetadata)
	case ggufUint32:
		m.numbers[key] = int64(g.uint32())
	case ggufInt32:
		m.numbers[key] = int64(int32(g.uint32()))
	case ggufBool:
		m.numbers[key] = int64(g.bytes(1)[0])
	case ggufArray:
		g.elements(m, key)
	default:
		g.skip(kind, 0)
	}
}

func (g *ggufReader) elements(m *metadata, key string) {
	element, n := g.list()
	for i := uint64(0); i < n && g.err == nil; i++ {
		switch element {
		case ggufString:
			m.lists[key] = append(m.lists[key], g.string(maxTokenBytes))
		case ggufInt32, ggufUint32:
			m.ints[key] = append(m.ints[key], int32(g.uint32()))
		case ggufFloat32:
			m.floats[key] = append(m.floats[key], math.Float32frombits(g.uint32()))
		default:
			g.skip(element, 1)
		}
	}
}
