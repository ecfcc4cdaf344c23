package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// benchFlags are what grammar bench was asked.
type benchFlags struct {
	tokenizer, order string
	cpu              bool
}

func (a *app) grammarBenchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench --tokenizer T FILES…",
		Short: "Measure grammars: what they accept, how fast, how large",
		Long: `Bench compiles each of FILES (folders stand for the .json files in them) and walks
its tests token by token: the mask, is the token in it, the commit; and at the end
of a text the mask once more, for the end. A file is {"schema","tests":[{"valid",
"data"}]} or a schema alone; formats are asserted, and the root may be anything. T is a tokenizer.json or a GGUF file.

Times are in microseconds, without what the clock itself takes. With --cpu-time
they are this thread's processor time, which other processes do not disturb (Linux
only). The floors are measured in the same run: to clear, to copy
and to unite a mask, and to walk the vocabulary's trie as a JSON string's body.`,
		Example: "  holdfast grammar bench --tokenizer tokenizer.json --cpu-time schemas/",
		Args:    cobra.MinimumNArgs(1),
		RunE:    a.do(func(_ *cobra.Command, args []string) error { return a.grammarBench(f, args) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tokenizer, "tokenizer", "", "vocabulary: a tokenizer.json or a GGUF file")
	flags.StringVar(&f.order, "order", "any", "order of properties: any, or schema for the schema's own")
	flags.BoolVar(&f.cpu, "cpu-time", false, "measure the thread's processor time")
	fixedCompletion(cmd, "order", "any", "schema")
	return cmd
}

// benched is the result of bench; the names are fixed.
type benched struct {
	Schemas []benchedSchema `json:"schemas"`
	Total   benchedTotal    `json:"total"`
}

type benchedSchema struct {
	File      string   `json:"file"`
	Compiled  bool     `json:"compiled"`
	Refused   *refusal `json:"refused"`
	Right     int      `json:"right"` // tests that came out
	Wrong     int      `json:"wrong"`
	Failed    []int    `json:"failed"` // which were wrong
	CompileUS float64  `json:"compile_us"`
	Bytes     int      `json:"bytes"`
}

type benchedTotal struct {
	Schemas     int                `json:"schemas"`
	Compiled    int                `json:"compiled"`
	Refused     int                `json:"refused"`
	Right       int                `json:"right"` // schemas whose every test came out
	Wrong       int                `json:"wrong"`
	Mislabelled []string           `json:"mislabelled"`
	Compile     spread             `json:"compile"`
	FirstMask   spread             `json:"first_mask"`
	Mask        spread             `json:"mask"`
	Commit      spread             `json:"commit"`
	Masks       int                `json:"masks"`
	Bytes       int                `json:"bytes"`        // of all grammars
	BytesMedian int                `json:"bytes_median"` // of one
	Floors      floors             `json:"floors"`
	Ratios      map[string]float64 `json:"ratios"` // to the floors
}

func (a *app) grammarBench(f benchFlags, args []string) error {
	o, err := orderOption(f.order)
	if err != nil {
		return err
	}
	if f.tokenizer == "" {
		return misused(errors.New("grammar bench needs --tokenizer T"))
	}
	v, err := a.readVocabulary(f.tokenizer)
	if err != nil {
		return err
	}
	files, err := benchFiles(args)
	if err != nil {
		return err
	}
	clock := wallClock()
	if f.cpu {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var ok bool
		if clock, ok = threadClock(); !ok {
			return errors.New("a thread's processor time is not told on this system; leave --cpu-time out")
		}
	}
	b := bench{vocabulary: v, options: o, clock: clock}
	for _, name := range files {
		source, err := a.readFile(name)
		if err != nil {
			return err
		}
		if err := b.file(name, source); err != nil {
			return fmt.Errorf("%s: %w", shownName(name), err)
		}
	}
	result := b.result()
	if err := a.showBenched(result); err != nil {
		return err
	}
	if result.Total.Wrong > 0 {
		return errFindings
	}
	return nil
}

// benchFiles lists the files, folders by their .json files.
func benchFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if arg == "-" {
			files = append(files, arg)
			continue
		}
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (path == arg || strings.HasSuffix(path, ".json")) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (a *app) showBenched(b benched) error {
	if a.wantsJSON() {
		return writeJSON(a.stdout, b)
	}
	t := b.Total
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d compiled, %d refused; %d wholly right, %d wrong; %s mislabelled\n",
		count(t.Schemas, "schema"), t.Compiled, t.Refused, t.Right, t.Wrong, count(len(t.Mislabelled), "test"))
	for _, s := range b.Schemas {
		if s.Wrong > 0 {
			fmt.Fprintf(&text, "  wrong: %s, tests %v\n", s.File, s.Failed)
		}
	}
	fmt.Fprintf(&text, "%-11s %10s %10s %10s %10s %12s\n", "µs", "mean", "p50", "p90", "p99", "max")
	for _, row := range []struct {
		name string
		s    spread
	}{{"compile", t.Compile}, {"first mask", t.FirstMask}, {"mask", t.Mask}, {"commit", t.Commit}} {
		fmt.Fprintf(&text, "%-11s %10.2f %10.2f %10.2f %10.2f %12.2f\n", row.name, row.s.Mean, row.s.P50, row.s.P90, row.s.P99, row.s.Max)
	}
	fmt.Fprintf(&text, "%d masks; %d bytes a grammar in the median\n", t.Masks, t.BytesMedian)
	fmt.Fprintf(&text, "floors: clear %.2f, copy %.2f, unite %.2f, walk %.0f, clock %.2f µs\n", t.Floors.Clear, t.Floors.Copy, t.Floors.Or, t.Floors.Walk, t.Floors.Clock)
	fmt.Fprintf(&text, "a mask's mean is %.1f times uniting two masks; its p99 is %.3f, its maximum %.3f of a walk\n",
		t.Ratios["mask_mean_to_or"], t.Ratios["mask_p99_to_walk"], t.Ratios["mask_max_to_walk"])
	_, err := io.WriteString(a.stdout, text.String())
	return err
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
