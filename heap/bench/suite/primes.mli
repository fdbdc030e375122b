(** The primes below a bound, by a sieve in blocks. *)

val program : Program.t
