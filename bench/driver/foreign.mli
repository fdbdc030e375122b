(** Schedulers of other languages, by small programs of our own in
    [bench/peers], built with the tools found on the machine. *)

val build : unit -> Scheduler.t list * string list
(** The schedulers that could be built, and a line for each scheduler that could
    not. *)
