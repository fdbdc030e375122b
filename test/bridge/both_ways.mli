(** The functions that lead from a host to Dromos and back: the same cases for
    every host. *)

type ways = {
  name : string;
  main : 'a. (unit -> 'a) -> 'a;  (** runs a first task of the host *)
  together : (unit -> unit) list -> unit;
      (** runs tasks of the host, until all are over *)
  offload : 'a. ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a;
  inside : 'a. (unit -> 'a) -> 'a;  (** [in_eio], [in_picos], ... *)
  with_loop : ((unit -> unit) -> unit) option;
      (** a loop on a domain of its own while the function runs, where the host
          has one *)
  has_domains : bool;  (** [inside] may run on domains made by the host *)
}

val cases : ways -> unit Alcotest.test_case list
