// Fork/join with goroutines, and loops on top. Without workers the loops are sequential.
package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

var parallel bool

func both(f, g func()) {
	if !parallel {
		f()
		g()
		return
	}
	done := make(chan struct{})
	go func() {
		g()
		close(done)
	}()
	f()
	<-done
}

// pieces calls body on pieces of 0 .. n: one goroutine per processor takes pieces from a
// shared counter.
func pieces(n, size int, body func(lo, hi int)) {
	workers := min(runtime.GOMAXPROCS(0), (n+size-1)/size)
	if !parallel || workers <= 1 {
		if n > 0 {
			body(0, n)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				lo := int(next.Add(int64(size))) - size
				if lo >= n {
					return
				}
				body(lo, min(n, lo+size))
			}
		}()
	}
	group.Wait()
}

// filled is the slice of f(i).
func filled[T any](n, size int, f func(i int) T) []T {
	all := make([]T, n)
	pieces(n, size, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			all[i] = f(i)
		}
	})
	return all
}

// parts is the slice of the results of f on pieces of 0 .. n.
func parts[T any](n, size int, f func(lo, hi int) T) []T {
	return filled((n+size-1)/size, 1, func(p int) T {
		return f(p*size, min(n, (p+1)*size))
	})
}

// reduce joins the results of f on pieces of 0 .. n, in order.
func reduce[T any](n, size int, f func(lo, hi int) T, join func(a, b T) T) (all T) {
	for _, part := range parts(n, size, f) {
		all = join(all, part)
	}
	return all
}

// collect concatenates the results of f on pieces of 0 .. n.
func collect[T any](n, size int, f func(lo, hi int) []T) []T {
	found := parts(n, size, f)
	starts := make([]int, len(found)+1)
	for p, part := range found {
		starts[p+1] = starts[p] + len(part)
	}
	all := make([]T, starts[len(found)])
	pieces(len(found), 1, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			copy(all[starts[p]:], found[p])
		}
	})
	return all
}
