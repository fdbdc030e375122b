(** Curves of times and loads, as SVG. *)

val draw : dir:string -> Row.t list -> string list
(** For each benchmark and size: over cut-offs, on logarithmic axes, with the
    most workers measured; and over workers, on linear axes, at the cut-off
    where the slowest contestant does best. The files written; none where there
    are fewer than two points to join. Of benchmarks that fork all the way down,
    without a cut-off, also bars of what a fork costs on one worker. For loads,
    see {!Plot_load}. The directory is made if need be. *)

val write : dir:string -> (string * Chart.t) list -> string list
(** Draws charts into files of these names; the files written. The directory is
    made if need be. *)

val make_directory : string -> unit
(** Makes the directory, and those above it, where there is none. Raises
    [Sys_error]. *)
