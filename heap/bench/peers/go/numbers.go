// The programs on numbers. Each program makes its input, and returns a job. The job is
// timed; the result of the job is a function that computes the
// checksum.
package main

import (
	"math"
	"slices"
	"sort"
)

type job func() func() uint64

const grain = 4096

// Primes: the primes below the root, found recursively, sieve each block separately.

const block = 65536

func sieve(small []int64, lo, hi int64) []int64 {
	var composite [block]bool
	for _, p := range small {
		for m := max(p*p, (lo+p-1)/p*p); m < hi; m += p {
			composite[m-lo] = true
		}
	}
	var primes []int64
	for i := lo; i < hi; i++ {
		if !composite[i-lo] {
			primes = append(primes, i)
		}
	}
	return primes
}

func primesBelow(n int) []int64 {
	if n <= 2 {
		return nil
	}
	var small []int64
	if root := 1 + int(math.Sqrt(float64(n))); root < n {
		small = primesBelow(root)
	}
	return collect(n-2, block, func(lo, hi int) []int64 {
		return sieve(small, int64(2+lo), int64(2+hi))
	})
}

func primes(n int) job {
	return func() func() uint64 {
		all := primesBelow(n)
		return func() uint64 { return checksum(all...) }
	}
}

// Merge sort between a slice and a scratch slice that swap roles at each level.

func merge(a, b, out []int64) {
	if len(a)+len(b) <= grain || len(a) == 0 {
		i, j := 0, 0
		for k := range out {
			if j == len(b) || i < len(a) && a[i] <= b[j] {
				out[k] = a[i]
				i++
			} else {
				out[k] = b[j]
				j++
			}
		}
		return
	}
	i := len(a) / 2
	j := sort.Search(len(b), func(j int) bool { return b[j] >= a[i] })
	both(func() { merge(a[:i], b[:j], out[:i+j]) },
		func() { merge(a[i:], b[j:], out[i+j:]) })
}

// mergesort sorts a, into other if elsewhere is true.
func mergesort(a, other []int64, elsewhere bool) {
	if len(a) <= grain {
		slices.Sort(a)
		if elsewhere {
			copy(other, a)
		}
		return
	}
	mid := len(a) / 2
	both(func() { mergesort(a[:mid], other[:mid], !elsewhere) },
		func() { mergesort(a[mid:], other[mid:], !elsewhere) })
	if elsewhere {
		merge(a[:mid], a[mid:], other)
	} else {
		merge(other[:mid], other[mid:], a)
	}
}

func msort(n int) job {
	a := make([]int64, n)
	for i := range a {
		a[i] = int64(below(1_000_000_000, i))
	}
	return func() func() uint64 {
		sorted, scratch := slices.Clone(a), make([]int64, n)
		mergesort(sorted, scratch, false)
		return func() uint64 { return checksum(sorted...) }
	}
}

// The least squares line: the means, then the moments about them.

type pair struct{ x, y float64 }

func (a pair) add(b pair) pair { return pair{a.x + b.x, a.y + b.y} }

func line(points []pair) (offset, slope float64) {
	n := float64(len(points))
	sums := reduce(len(points), grain, func(lo, hi int) (sum pair) {
		for _, p := range points[lo:hi] {
			sum = sum.add(p)
		}
		return sum
	}, pair.add)
	mean := pair{sums.x / n, sums.y / n}
	moments := reduce(len(points), grain, func(lo, hi int) (sum pair) {
		for _, p := range points[lo:hi] {
			d := p.x - mean.x
			sum = sum.add(pair{d * d, d * p.y})
		}
		return sum
	}, pair.add)
	slope = moments.y / moments.x
	return mean.y - slope*mean.x, slope
}

func linefit(n int) job {
	points := make([]pair, n)
	for i := range points {
		x := float64(below(1024, i))
		points[i] = pair{x, 3*x + float64(below(64, i+n))}
	}
	return func() func() uint64 {
		offset, slope := line(points)
		return func() uint64 {
			return checksum(math.Round(1000*offset), math.Round(1000*slope))
		}
	}
}

// The greatest sum of a contiguous piece. The summary of a slice holds the best sums of
// its pieces, prefixes and suffixes, and its total.

type best struct{ best, prefix, suffix, sum float64 }

func bestOf(a []float64) (b best) {
	for _, x := range a {
		b.sum += x
		b.suffix += x
		if b.suffix < 0 {
			b.suffix = 0
		}
		if b.sum > b.prefix {
			b.prefix = b.sum
		}
		if b.suffix > b.best {
			b.best = b.suffix
		}
	}
	return b
}

func (a best) join(b best) best {
	return best{
		max(a.best, b.best, a.suffix+b.prefix),
		max(a.prefix, a.sum+b.prefix),
		max(b.suffix, a.suffix+b.sum),
		a.sum + b.sum,
	}
}

func mcss(n int) job {
	a := make([]float64, n)
	for i := range a {
		a[i] = float64(below(201, i) - 100)
	}
	return func() func() uint64 {
		all := reduce(n, grain, func(lo, hi int) best { return bestOf(a[lo:hi]) }, best.join)
		return func() uint64 { return checksum(all.best) }
	}
}

// A sparse matrix, rows of columns with their values, times a vector.

type entry struct {
	column int
	value  float64
}

func sparseMxv(n int) job {
	const inARow = 100
	rows := n / inARow
	matrix := make([][]entry, rows)
	for r := range matrix {
		matrix[r] = make([]entry, inARow)
		for k := range matrix[r] {
			j := inARow*r + k
			matrix[r][k] = entry{below(rows, 2*j), float64(below(100, 2*j+1))}
		}
	}
	vector := make([]float64, rows)
	for i := range vector {
		vector[i] = float64(i % 100)
	}
	return func() func() uint64 {
		product := filled(rows, 64, func(r int) float64 {
			sum := 0.
			for _, e := range matrix[r] {
				sum += e.value * vector[e.column]
			}
			return sum
		})
		return func() uint64 { return checksum(product...) }
	}
}
