package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// maxLineBytes bounds what a person types at once.
const maxLineBytes = 1 << 20

var errLineTooLong = errors.New("the line is too long")

// lines reads a person's lines. A read that was given up on is taken up again by
// the next, so that no line is lost to an interruption.
type lines struct {
	in      *bufio.Reader
	pending chan line
}

type line struct {
	text string
	err  error
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(in, maxLineBytes)} }

// next is the next line without its end, io.EOF after the last, or ctx's error.
func (l *lines) next(ctx context.Context) (string, error) {
	if l.pending == nil {
		pending := make(chan line, 1)
		l.pending = pending
		// Nothing can end a read of the terminal but a line or the process.
		go func() { pending <- l.read() }()
	}
	select {
	case got := <-l.pending:
		l.pending = nil
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (l *lines) read() line {
	text, err := l.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return line{err: errLineTooLong}
	case errors.Is(err, io.EOF) && len(text) > 0:
		err = nil
	}
	return line{text: strings.TrimRight(string(text), "\r\n"), err: err}
}
