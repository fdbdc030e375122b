// Inputs, equal to those of bench/plain's rng.ml and text.ml, and checksums.
package main

func below(bound, i int) int { return int(hash(i)) % bound }

func checksum[T int | int64 | float64](numbers ...T) uint64 {
	sum := uint64(17)
	for _, x := range numbers {
		sum = step(sum, uint64(int64(x)))
	}
	return sum
}

func wordChecksum(word string) uint64 {
	sum := uint64(17)
	for i := range len(word) {
		sum = step(sum, uint64(word[i]))
	}
	return sum
}

// text returns words of 2 to 12 letters, ten in a line; a few words are frequent.
func text(n int) []byte {
	t := make([]byte, 0, n+16)
	for i := 0; len(t) < n; i++ {
		rank := below(1_000_000, i+1) / (1 + below(10_000, i))
		h := hash(rank)
		for k := range 2 + rank%11 {
			t = append(t, 'a'+byte(h>>(5*k)&31%26))
		}
		if i%10 == 9 {
			t = append(t, '\n')
		} else {
			t = append(t, ' ')
		}
	}
	return t[:n]
}
