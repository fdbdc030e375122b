// One measurement of one program of the suite, in Go.
// usage: go PROGRAM SIZE WORKERS RUNS; without workers it is the sequential program.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

var programs = map[string]func(n int) job{
	"hash-dedup":  hashDedup,
	"linefit":     linefit,
	"mcss":        mcss,
	"msort-int64": msort,
	"primes":      primes,
	"sparse-mxv":  sparseMxv,
	"tokens":      tokens,
	"wc":          wc,
}

type report struct {
	Program  string         `json:"program"`
	Size     int            `json:"size"`
	Workers  int            `json:"workers"`
	Seconds  []float64      `json:"seconds"`
	CPU      []float64      `json:"cpu_s"`
	MaxRSS   int            `json:"max_rss_kib"`
	Checksum uint64         `json:"checksum"`
	Figures  map[string]int `json:"figures"`
}

// maxRSS returns the peak of the resident memory, in KiB.
func maxRSS() int {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	fmt.Sscan(after, &kib)
	return kib
}

func fail(message any) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		fail("not a number: " + s)
	}
	return n
}

func main() {
	if len(os.Args) != 5 || programs[os.Args[1]] == nil {
		fail("usage: " + os.Args[0] + " PROGRAM SIZE WORKERS RUNS")
	}
	l := report{Program: os.Args[1], Size: number(os.Args[2]), Workers: number(os.Args[3])}
	l.Figures = map[string]int{}
	parallel = l.Workers > 0
	runtime.GOMAXPROCS(max(1, l.Workers))
	run := programs[l.Program](l.Size)
	runtime.GC()
	for range number(os.Args[4]) {
		c, t := cpu(), time.Now()
		finish := run()
		l.Seconds = append(l.Seconds, time.Since(t).Seconds())
		l.CPU = append(l.CPU, cpu()-c)
		l.Checksum = finish()
	}
	l.MaxRSS = maxRSS()
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		fail(err)
	}
}
