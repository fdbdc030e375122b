// The programs on texts; a word is a maximal run of letters.
package main

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func starts(t []byte, i int) bool { return letter(t[i]) && (i == 0 || !letter(t[i-1])) }

func word(t []byte, i int) string {
	end := i
	for end < len(t) && letter(t[end]) {
		end++
	}
	return string(t[i:end])
}

func words(t []byte) []int {
	return collect(len(t), 8192, func(lo, hi int) []int {
		found := make([]int, 0, (hi-lo)/4)
		for i := lo; i < hi; i++ {
			if starts(t, i) {
				found = append(found, i)
			}
		}
		return found
	})
}

// Lines, words and bytes.

type counts struct{ lines, words, bytes int }

func (a counts) add(b counts) counts {
	return counts{a.lines + b.lines, a.words + b.words, a.bytes + b.bytes}
}

func wc(n int) job {
	t := text(n)
	count := func(lo, hi int) (c counts) {
		inside := lo > 0 && letter(t[lo-1])
		for _, x := range t[lo:hi] {
			if x == '\n' {
				c.lines++
			}
			is := letter(x)
			if is && !inside {
				c.words++
			}
			inside = is
		}
		c.bytes = hi - lo
		return c
	}
	return func() func() uint64 {
		all := reduce(n, 1<<16, count, counts.add)
		return func() uint64 { return checksum(all.lines, all.words, all.bytes) }
	}
}

// The words in order, as strings.

func tokens(n int) job {
	t := text(n)
	return func() func() uint64 {
		at := words(t)
		all := filled(len(at), 1024, func(i int) string { return word(t, at[i]) })
		return func() uint64 {
			sum := uint64(17)
			for _, w := range all {
				sum = step(sum, wordChecksum(w))
			}
			return sum
		}
	}
}

// The distinct words, in a hash set shared by all workers: linear probing; a
// compare-and-set fills a slot for good.

type set struct {
	slots []atomic.Pointer[string]
	seed  maphash.Seed
}

func newSet(words int) *set {
	size := 1 << bits.Len(uint(2*words))
	return &set{make([]atomic.Pointer[string], size), maphash.MakeSeed()}
}

func (s *set) add(word string) {
	last := uint64(len(s.slots) - 1)
	for i := maphash.String(s.seed, word); ; i++ {
		slot := &s.slots[i&last]
		there := slot.Load()
		if there == nil {
			mine := word
			if slot.CompareAndSwap(nil, &mine) {
				return
			}
			there = slot.Load()
		}
		if *there == word {
			return
		}
	}
}

func (s *set) elements() []string {
	return collect(len(s.slots), 8192, func(lo, hi int) (found []string) {
		for i := lo; i < hi; i++ {
			if word := s.slots[i].Load(); word != nil {
				found = append(found, *word)
			}
		}
		return found
	})
}

func hashDedup(n int) job {
	t := text(n)
	at := words(t)
	return func() func() uint64 {
		s := newSet(len(at))
		pieces(len(at), 1024, func(lo, hi int) {
			for _, i := range at[lo:hi] {
				s.add(word(t, i))
			}
		})
		distinct := s.elements()
		return func() uint64 {
			sum := uint64(0)
			for _, w := range distinct {
				sum += wordChecksum(w)
			}
			return checksum(len(distinct), int(sum&(mask>>1)))
		}
	}
}
