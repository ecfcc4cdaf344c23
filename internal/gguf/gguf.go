// Package gguf writes GGUF files, so that tests have models of their own making:
// real ones are large, and not ours to ship.
package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// Entry is one of a file's metadata. Its value is a string, bool, uint32, int32,
// float32 or uint64, or a slice of these.
type Entry struct {
	Key   string
	Value any
}

// Tensor is numbers in a shape, the fastest dimension first.
type Tensor struct {
	Name  string
	Shape []uint64
	Data  []float32
}

const alignment = 32

// Encode is a file of version 3.
func Encode(entries []Entry, tensors []Tensor) ([]byte, error) {
	var w writer
	w.WriteString("GGUF")
	w.put(uint32(3))
	w.put(uint64(len(tensors)))
	w.put(uint64(len(entries)))
	for _, e := range entries {
		w.text(e.Key)
		if err := w.value(e.Value); err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.Key, err)
		}
	}
	offset := uint64(0)
	for _, t := range tensors {
		w.text(t.Name)
		w.put(uint32(len(t.Shape)))
		for _, n := range t.Shape {
			w.put(n)
		}
		w.put(uint32(0)) // 32-bit floats
		w.put(offset)
		offset += padded(uint64(4 * len(t.Data)))
	}
	w.pad()
	for _, t := range tensors {
		for _, x := range t.Data {
			w.put(math.Float32bits(x))
		}
		w.pad()
	}
	return w.Bytes(), nil
}

func padded(n uint64) uint64 { return (n + alignment - 1) / alignment * alignment }

type writer struct{ bytes.Buffer }

// put writes a number; a buffer takes every one.
func (w *writer) put(number any) {
	b, err := binary.Append(w.AvailableBuffer(), binary.LittleEndian, number)
	if err != nil {
		panic(err)
	}
	w.Write(b)
}

func (w *writer) text(s string) {
	w.put(uint64(len(s)))
	w.WriteString(s)
}

func (w *writer) pad() {
	w.Write(make([]byte, padded(uint64(w.Len()))-uint64(w.Len())))
}

func (w *writer) value(v any) error {
	kind, err := kindOf(reflect.TypeOf(v))
	if err != nil {
		return err
	}
	w.put(kind)
	return w.bare(reflect.ValueOf(v))
}

// bare is a value without its type.
func (w *writer) bare(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		w.text(v.String())
	case reflect.Slice:
		kind, err := kindOf(v.Type().Elem())
		if err != nil {
			return err
		}
		w.put(kind)
		w.put(uint64(v.Len()))
		for i := range v.Len() {
			if err := w.bare(v.Index(i)); err != nil {
				return err
			}
		}
	default:
		w.put(v.Interface())
	}
	return nil
}

func kindOf(t reflect.Type) (uint32, error) {
	switch t.Kind() {
	case reflect.Uint32:
		return 4, nil
	case reflect.Int32:
		return 5, nil
	case reflect.Float32:
		return 6, nil
	case reflect.Bool:
		return 7, nil
	case reflect.String:
		return 8, nil
	case reflect.Slice:
		return 9, nil
	case reflect.Uint64:
		return 10, nil
	}
	return 0, fmt.Errorf("a value of the type %s is not written", t)
}
