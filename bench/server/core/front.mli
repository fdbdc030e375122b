(** A way to build the Fibonacci server: the part that answers, and the part
    that computes. *)

type t = {
  name : string;  (** the name in rows *)
  about : string;
  parallel : bool;  (** [false]: the number of workers changes nothing *)
  serve : workers:int -> ready:(int -> unit) -> unit;
      (** Serves [GET /fib/N] on loopback, with kept connections, until standard
          input ends; calls [ready] with the port. [workers] counts the domains
          that compute, not the domain that answers. *)
  stall : workers:int -> n:int -> runs:int -> Gaps.t list;
      (** Runs a ticker every millisecond on the thread that answers, and
          computes fib [n] beside the ticker, [runs] times, after a small run
          that does not count. The result has the ticks of each run. *)
}
