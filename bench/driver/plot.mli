(** Curves of times and loads, as SVG. *)

val draw : dir:string -> Row.t list -> string list
(** Draws charts for each benchmark and size: over cut-offs, on logarithmic
    axes, with the most workers measured; and over workers, on linear axes, at
    the cut-off at which the slowest contestant does best. Returns the files
    written; no file if fewer than two points are left. For benchmarks that fork
    without a cut-off, also draws bars of the cost of a fork on one worker. For
    loads, see {!Plot_load}. Makes the directory if needed. *)

val by_workers : Row.t list -> title:string -> subtitle:string -> Chart.t option
(** The times of rows of one benchmark over the number of workers. [None] if the
    rows have fewer than two numbers of workers, or no times. *)

type drawing = Chart of Chart.t | Bars of Bars.t

val write : dir:string -> (string * drawing) list -> string list
(** Draws into files of the given names, and returns the files written. Makes
    the directory if needed. *)
