// Inputs and checksums, equal to those of bench/plain's rng.ml, text.ml and checksum.ml,
// in OCaml's 63-bit integers.
package main

const mask = uint64(1)<<63 - 1

func hash(i int) uint64 {
	z := uint64(i) * 0x1e3779b97f4a7c15 & mask
	z = (z ^ z>>30) * 0x3f58476d1ce4e5b9 & mask
	z = (z ^ z>>27) * 0x14d049bb133111eb & mask
	return (z ^ z>>31) & (mask >> 1)
}

func below(bound, i int) int { return int(hash(i)) % bound }

func step(sum, x uint64) uint64 { return (sum*31 + x) & (mask >> 1) }

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
