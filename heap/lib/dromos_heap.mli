(** What the runtime of leaf heaps ([-runtime-variant _hh]) tells about itself.

    The library can be linked with either runtime: on OCaml's own there is
    nothing to tell.

    {[
      # let show { Dromos_heap.entangled; pinned; _ } =
          Printf.sprintf "%d bytes were published, %d of them are pinned"
            entangled pinned;;
      val show : Dromos_heap.stats -> string = <fun>
      # Option.map show (Dromos_heap.stats ())
      - : string option = None
      # Dromos_heap.report ()
      - : string = ""
    ]}

    Each domain counts for itself, and nothing waits for a reader: what other
    domains did since they last took memory or collected may be missing, and two
    figures may be of moments a little apart. Numbers are since the program
    began, sizes are in bytes, times in seconds by the clock. *)

type pauses = {
  count : int;
  seconds : float;  (** All of them together. *)
  longest : float;  (** What a domain waited at most. *)
}

type stats = {
  young : pauses;
      (** Collections of what a domain allocated since its last one. Its leaf,
          and it alone, is paused. *)
  full : pauses;
      (** Collections of whole leaves. One that a young collection found to be
          due is counted in both; its pause is that of both. *)
  global : pauses;
      (** Collections of everything, the world stopped. The pause is that of the
          domain that asks: it waits for the others, too. *)
  scans : pauses;
      (** Of the concurrent collection of what is shared: a domain looks through
          its own leaf for what that holds of it, once in each cycle. *)
  slices : pauses;
      (** Of that collection too: marking, a little after each young one. *)
  lived : float;
      (** How long domains lived, all together: the time that shares are of. *)
  allocated : int;
  promoted : int;  (** Of what was young: what survived a collection. *)
  copied : int;  (** Moved by collections, young or old. *)
  held : int;  (** The chunks of all heaps. *)
  most_held : int;
  entangled : int;
      (** What was pinned, ever, since it was stored where others might reach
          it: the paper's entanglement factor (PLDI 2023), in bytes. *)
  publications : int;  (** Stores that pinned something. *)
  handed : int;
      (** What was pinned, ever, for another reason: a fork or a new domain has
          it, a global variable, or a task that goes on elsewhere. *)
  pinned : int;  (** Now, whether or not it is still of use. *)
  most_pinned : int;
      (** As seen at collections and joins: like the paper's entanglement
          ceiling, but with what was handed over. *)
  heaps : int;  (** There are now, among them the one that all share. *)
  splits : int;  (** Of a heap, for a task. *)
  merges : int;  (** Of a task's heap, where tasks join. *)
  cycles : int;  (** Concurrent collections of what is shared. *)
}

val stats : unit -> stats option
(** [None] on another runtime than that of leaf heaps. *)

val leaf_share : stats -> float
(** The part of the domains' time that went into collections of leaves, 0 to 1.
*)

val fields : stats -> (string * float) list
(** All of them by name, for who prints tables or JSON: [("young.count", 12.)].
*)

val report : unit -> string
(** In words, a few lines, as [DROMOS_HEAP=v] prints them at exit. Empty on
    another runtime. *)
