package schema

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Decode fills dst, a pointer, from v. Names match case-sensitively and numbers
// keep their exact value or are refused. Members that dst has no field for are
// passed over: whether they may be there is the schema's to say. An any becomes
// nil, bool, string, json.Number, []any or map[string]any.
func Decode(v Value, dst any) error {
	d := decoder{}
	return d.start(v, dst)
}

// Decode is the function Decode, quicker for a schema that For made of dst's
// type: such a schema knows the fields.
func (s *Schema) Decode(v Value, dst any) error {
	d := decoder{known: s.fields}
	return d.start(v, dst)
}

// decoder fills Go values.
type decoder struct {
	known map[reflect.Type][]field // of a schema; only read
	found map[reflect.Type][]field // on the way
}

func (d *decoder) start(v Value, dst any) error {
	p := reflect.ValueOf(dst)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return errors.New("decoding value: the destination is not a pointer")
	}
	if v.d == nil {
		return errors.New("decoding value: there is none")
	}
	return d.decode(v, p.Elem())
}

// decodeError says what does not fit, and where. Each container on the way out
// puts its part of the pointer in front.
type decodeError struct {
	at  string
	err error
}

func (e *decodeError) Error() string { return fmt.Sprintf("decoding value at %q: %s", e.at, e.err) }

func (e *decodeError) Unwrap() error { return e.err }

func misfit(v Value, into reflect.Type) error {
	return &decodeError{err: fmt.Errorf("a JSON %s does not fit %s", v.Kind(), into)}
}

// under is err, of what stands at that token of a container.
func under(token string, err error) error {
	if e, ok := errors.AsType[*decodeError](err); ok {
		e.at = "/" + escapeToken(token) + e.at
	}
	return err
}

var (
	typeTime       = reflect.TypeFor[time.Time]()
	typeRaw        = reflect.TypeFor[json.RawMessage]()
	typeJSONNumber = reflect.TypeFor[json.Number]()
	typeValue      = reflect.TypeFor[Value]()
)

func (d *decoder) decode(v Value, to reflect.Value) error {
	if done, err := decodeSpecial(v, to); done {
		return err
	}
	switch to.Kind() {
	case reflect.Pointer:
		if v.Kind() == Null {
			to.SetZero()
			return nil
		}
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		return d.decode(v, to.Elem())
	case reflect.Interface:
		if to.NumMethod() > 0 {
			return misfit(v, to.Type())
		}
		return decodeAny(v, to)
	case reflect.Struct:
		return d.decodeStruct(v, to)
	case reflect.Map:
		return d.decodeMap(v, to)
	case reflect.Slice, reflect.Array:
		return d.decodeList(v, to)
	case reflect.String:
		if v.Kind() != String {
			return misfit(v, to.Type())
		}
		to.SetString(v.Text())
		return nil
	case reflect.Bool:
		if v.Kind() != Bool {
			return misfit(v, to.Type())
		}
		to.SetBool(v.Bool())
		return nil
	}
	return decodeNumber(v, to)
}

// decodeSpecial handles the types that read JSON themselves.
func decodeSpecial(v Value, to reflect.Value) (done bool, err error) {
	switch to.Type() {
	case typeRaw:
		to.SetBytes(v.Raw())
		return true, nil
	case typeValue:
		to.Set(reflect.ValueOf(v))
		return true, nil
	case typeJSONNumber:
		if v.Kind() != Number {
			return true, misfit(v, to.Type())
		}
		to.SetString(v.Text())
		return true, nil
	case typeTime:
		return true, decodeTime(v, to)
	}
	if !to.CanAddr() || to.Kind() == reflect.Pointer {
		return false, nil
	}
	p := to.Addr().Interface()
	if u, ok := p.(json.Unmarshaler); ok {
		if err := u.UnmarshalJSON(v.Raw()); err != nil {
			return true, &decodeError{err: err}
		}
		return true, nil
	}
	if u, ok := p.(encoding.TextUnmarshaler); ok && v.Kind() == String {
		if err := u.UnmarshalText([]byte(v.Text())); err != nil {
			return true, &decodeError{err: err}
		}
		return true, nil
	}
	return false, nil
}

func decodeTime(v Value, to reflect.Value) error {
	if v.Kind() == Null {
		to.SetZero()
		return nil
	}
	if v.Kind() != String {
		return misfit(v, to.Type())
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(v.Text()))
	if err != nil {
		return &decodeError{err: errors.New("the string is not a date and time of RFC 3339")}
	}
	to.Set(reflect.ValueOf(t))
	return nil
}

func decodeAny(v Value, to reflect.Value) error {
	if x := v.plain(); x != nil {
		to.Set(reflect.ValueOf(x))
	} else {
		to.SetZero()
	}
	return nil
}

// plain is v in Go's ordinary types; numbers keep their text.
func (v Value) plain() any {
	switch v.Kind() {
	case Bool:
		return v.Bool()
	case Number:
		return json.Number(v.Text())
	case String:
		return v.Text()
	case Array:
		list := make([]any, 0, v.Len())
		for _, e := range v.Elements() {
			list = append(list, e.plain())
		}
		return list
	case Object:
		m := make(map[string]any, v.Len())
		for name, e := range v.Members() {
			m[name] = e.plain()
		}
		return m
	}
	return nil
}

func (d *decoder) decodeStruct(v Value, to reflect.Value) error {
	if v.Kind() == Null {
		return nil
	}
	if v.Kind() != Object {
		return misfit(v, to.Type())
	}
	fields, err := d.fields(to.Type())
	if err != nil {
		return err
	}
	for name, e := range v.Members() {
		for n := range fields {
			if fields[n].name != name {
				continue
			}
			if err := d.decode(e, fieldByIndex(to, fields[n].index)); err != nil {
				return under(name, err)
			}
		}
	}
	return nil
}

// fields of a struct, which are looked up once.
func (d *decoder) fields(t reflect.Type) ([]field, error) {
	if known, ok := d.known[t]; ok {
		return known, nil
	}
	if found, ok := d.found[t]; ok {
		return found, nil
	}
	fields, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	if d.found == nil {
		d.found = map[reflect.Type][]field{}
	}
	d.found[t] = fields
	return fields, nil
}

// fieldByIndex makes the embedded pointers on the way.
func fieldByIndex(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

func (d *decoder) decodeMap(v Value, to reflect.Value) error {
	if v.Kind() == Null {
		to.SetZero()
		return nil
	}
	t := to.Type()
	if v.Kind() != Object || t.Key().Kind() != reflect.String {
		return misfit(v, t)
	}
	m := reflect.MakeMapWithSize(t, v.Len())
	for name, e := range v.Members() {
		x := reflect.New(t.Elem()).Elem()
		if err := d.decode(e, x); err != nil {
			return under(name, err)
		}
		m.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), x)
	}
	to.Set(m)
	return nil
}

func (d *decoder) decodeList(v Value, to reflect.Value) error {
	t := to.Type()
	slice := t.Kind() == reflect.Slice
	if v.Kind() == Null && slice {
		to.SetZero()
		return nil
	}
	if slice && t.Elem().Kind() == reflect.Uint8 && v.Kind() == String {
		b, err := base64.StdEncoding.DecodeString(v.Text())
		if err != nil {
			return &decodeError{err: errors.New("the string is not base64")}
		}
		to.SetBytes(b)
		return nil
	}
	if v.Kind() != Array || (!slice && v.Len() != t.Len()) {
		return misfit(v, t)
	}
	if slice {
		to.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
	}
	for i, e := range v.Elements() {
		if err := d.decode(e, to.Index(i)); err != nil {
			return under(strconv.Itoa(i), err)
		}
	}
	return nil
}

// decodeNumber sets an integer or a float; an integer that does not fit is
// refused, never rounded.
func decodeNumber(v Value, to reflect.Value) error {
	if v.Kind() != Number {
		return misfit(v, to.Type())
	}
	tooLarge := func() error {
		return &decodeError{err: fmt.Errorf("the number does not fit %s", to.Type())}
	}
	switch {
	case to.CanFloat():
		f, err := strconv.ParseFloat(v.Text(), to.Type().Bits())
		if err != nil || math.IsInf(f, 0) {
			return tooLarge()
		}
		to.SetFloat(f)
		return nil
	case !to.CanInt() && !to.CanUint():
		return misfit(v, to.Type())
	}
	d := parseDecimal(v.Text())
	if !d.integer() || len(d.text())+d.exp > 20 {
		return tooLarge()
	}
	text := string(d.canonical(nil))
	if to.CanInt() {
		n, err := strconv.ParseInt(text, 10, to.Type().Bits())
		if err != nil {
			return tooLarge()
		}
		to.SetInt(n)
		return nil
	}
	n, err := strconv.ParseUint(text, 10, to.Type().Bits())
	if err != nil {
		return tooLarge()
	}
	to.SetUint(n)
	return nil
}
