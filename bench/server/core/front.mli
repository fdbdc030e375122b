(** A way to build the Fibonacci server: what answers, and what computes. *)

type t = {
  name : string;  (** the name in rows *)
  about : string;
  parallel : bool;  (** [false]: the number of workers changes nothing *)
  serve : workers:int -> ready:(int -> unit) -> unit;
      (** Serves [GET /fib/N] on loopback, with kept connections, until standard
          input ends; [ready] is told the port. [workers] counts the domains
          that compute, beside the one that answers. *)
  stall : workers:int -> n:int -> runs:int -> Gaps.t list;
      (** Has a ticker run every millisecond on the thread that answers, and
          computes fib [n] beside it, [runs] times after a small one that does
          not count: the ticks of each. *)
}
