(** Counting primes with a segmented sieve of Eratosthenes. *)

val base : int -> int array
(** The primes whose square is below the bound. *)

val segment : int array -> int -> int -> int
(** [segment base lo hi]: the number of primes in [lo .. hi - 1]; [lo >= 2], and
    [base] has every prime whose square is below [hi]. *)

val count : int -> int
(** Below the bound, in segments that fit the cache. *)
