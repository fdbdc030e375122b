(** The functions that lead from a host to Dromos and back, held to the same
    cases for every host. *)

type ways = {
  name : string;
  main : 'a. (unit -> 'a) -> 'a;  (** in a first task of the host *)
  together : (unit -> unit) list -> unit;
      (** in tasks of the host, until all are over *)
  offload : 'a. ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a;
  inside : 'a. (unit -> 'a) -> 'a;  (** [in_eio], [in_picos], ... *)
  with_loop : ((unit -> unit) -> unit) option;
      (** a loop of its own while the function runs, where that can be had *)
  has_domains : bool;  (** [inside] may run on domains that the host makes *)
}

val cases : ways -> unit Alcotest.test_case list
