(** Domainslib tasks, in a pool of two domains: where Domainslib is installed.
*)

val kinds : Matrix.Party.kind list
