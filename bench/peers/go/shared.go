// Random numbers and checksums, equal to those of bench/plain's rng.ml and checksum.ml in
// OCaml's 63-bit integers, and a clock. The Go peers of both suites are built with this
// file.
package main

import (
	"syscall"
	"time"
)

const mask = uint64(1)<<63 - 1

func hash(i int) uint64 {
	z := uint64(i) * 0x1e3779b97f4a7c15 & mask
	z = (z ^ z>>30) * 0x3f58476d1ce4e5b9 & mask
	z = (z ^ z>>27) * 0x14d049bb133111eb & mask
	return (z ^ z>>31) & (mask >> 1)
}

func step(sum, x uint64) uint64 { return (sum*31 + x) & (mask >> 1) }

// cpu returns the seconds of processor time of all threads.
func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
