// Goroutines, and plain Go, on the lab's benchmarks.
// usage: peer go|sequential BENCH N CUTOFF WORKERS
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func fibSeq(n int64) int64 {
	if n < 2 {
		return n
	}
	return fibSeq(n-1) + fibSeq(n-2)
}

func fib(n, cutoff int64) int64 {
	if n < 2 {
		return n
	}
	if n <= cutoff {
		return fibSeq(n)
	}
	done := make(chan int64, 1)
	go func() { done <- fib(n-1, cutoff) }()
	b := fib(n-2, cutoff)
	return <-done + b
}

// A goroutine for each worker; the goroutines take chunks from a shared counter.
func loop(parallel bool, n, chunk int64, body func(int64)) {
	if !parallel {
		for i := int64(0); i < n; i++ {
			body(i)
		}
		return
	}
	workers := runtime.GOMAXPROCS(0)
	if chunk <= 0 {
		chunk = max(1, n/int64(8*workers))
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				lo := next.Add(chunk) - chunk
				if lo >= n {
					return
				}
				for i := lo; i < min(n, lo+chunk); i++ {
					body(i)
				}
			}
		}()
	}
	group.Wait()
}

func randomMatrix(seed, n int64) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			x := float64(hash(int(seed*n*n+int64(i)*n+int64(j))) % 2000)
			m[i][j] = x/1000. - 1.
			if i == j {
				m[i][j] += float64(n)
			}
		}
	}
	return m
}

func rowProduct(target, row []float64, b [][]float64) {
	for k, x := range row {
		other := b[k]
		for j := range target {
			// The conversion keeps multiplication and addition apart.
			target[j] += float64(x * other[j])
		}
	}
}

func timed(body func()) (float64, float64) {
	c, t := cpu(), time.Now()
	body()
	seconds := time.Since(t).Seconds()
	return seconds, cpu() - c
}

func once(parallel bool, bench string, n, cutoff int64) (s, c float64, sum uint64) {
	switch bench {
	case "fib", "fib_nocutoff":
		if bench == "fib_nocutoff" {
			cutoff = 0
		}
		var r int64
		s, c = timed(func() {
			if parallel {
				r = fib(n, cutoff)
			} else {
				r = fibSeq(n)
			}
		})
		return s, c, uint64(r)
	case "for_irregular":
		a := make([]int64, n)
		s, c = timed(func() {
			loop(parallel, n, cutoff, func(i int64) { a[i] = fibSeq(i) })
		})
		sum = 17
		for _, x := range a {
			sum = step(sum, uint64(x))
		}
		return
	default:
		a, b := randomMatrix(1, n), randomMatrix(2, n)
		m := make([][]float64, n)
		for i := range m {
			m[i] = make([]float64, n)
		}
		s, c = timed(func() {
			loop(parallel, n, cutoff, func(i int64) { rowProduct(m[i], a[i], b) })
		})
		sum = 17
		for _, row := range m {
			acc := uint64(17)
			for _, x := range row {
				acc = step(acc, math.Float64bits(x))
			}
			sum = step(sum, acc)
		}
		return
	}
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return n
}

func main() {
	n, cutoff := number(os.Args[3]), number(os.Args[4])
	runtime.GOMAXPROCS(int(number(os.Args[5])))
	parallel := os.Args[1] == "go"
	s, c, r := once(parallel, os.Args[2], n, cutoff)
	if s <= 5 { // the first run warmed up
		s, c, r = once(parallel, os.Args[2], n, cutoff)
	}
	fmt.Printf("{\"seconds\": %.9f, \"cpu_s\": %.9f, \"checksum\": %d}\n", s, c, r)
}
