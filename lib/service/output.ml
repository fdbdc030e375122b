(* One exchange takes all pieces. The takers are threads of the domain, which
   alternate, and the thread that ends the program. *)
type sink = {
  channel : out_channel;
  pieces : string list Atomic.t; (* newest first *)
  mutable held : int; (* bytes; approximate if threads race *)
}

type here = Elsewhere | Sinks of sink list

let all : sink list Atomic.t = Atomic.make []

let rec change f =
  let old = Atomic.get all in
  if not (Atomic.compare_and_set all old (f old)) then change f

let print sink text =
  match
    output_string sink.channel text;
    Stdlib.flush sink.channel
  with
  | () -> ()
  | exception Sys_error _ -> ()

let text pieces = String.concat "" (List.rev pieces)

let write sink =
  match Atomic.exchange sink.pieces [] with
  | [] -> ()
  | pieces ->
      sink.held <- 0;
      print sink (text pieces)

(* Writes the whole lines, and keeps the rest: the rest may be half a line of
   another thread. *)
let rec write_lines sink =
  let pieces = Atomic.get sink.pieces in
  let text = text pieces in
  match String.rindex_opt text '\n' with
  | None -> ()
  | Some last ->
      let rest = String.length text - last - 1 in
      let kept = if rest = 0 then [] else [ String.sub text (last + 1) rest ] in
      if Atomic.compare_and_set sink.pieces pieces kept then begin
        sink.held <- rest;
        print sink (String.sub text 0 (last + 1))
      end
      else write_lines sink

let () = at_exit (fun () -> List.iter write (Atomic.get all))

(* {1 The calling domain's} *)

let key = Domain.DLS.new_key (fun () -> Elsewhere)
let most_held = 65536

let rec push sink piece =
  let old = Atomic.get sink.pieces in
  if not (Atomic.compare_and_set sink.pieces old (piece :: old)) then
    push sink piece

(* Writes the held text at the end of a line, not inside a line. *)
let add sink s pos len =
  push sink (String.sub s pos len);
  sink.held <- sink.held + len;
  if sink.held >= most_held && len > 0 && s.[pos + len - 1] = '\n' then
    write sink

let divert formatter channel =
  let sink = { channel; pieces = Atomic.make []; held = 0 } in
  let functions = Format.pp_get_formatter_out_functions formatter () in
  Format.pp_set_formatter_out_functions formatter
    { functions with out_string = add sink; out_flush = (fun () -> write sink) };
  sink

let install () =
  let sinks =
    [
      divert (Format.get_std_formatter ()) stdout;
      divert (Format.get_err_formatter ()) stderr;
    ]
  in
  Domain.DLS.set key (Sinks sinks);
  change (fun old -> sinks @ old);
  Domain.at_exit (fun () ->
      List.iter write sinks;
      change (List.filter (fun sink -> not (List.memq sink sinks))))

(* [true] if the program has an open box. The formatter always has one box of
   its own, which ends only with a flush. [Format] does not tell the number of
   open boxes, but whether the number has reached a limit: open a box, and ask
   whether there are two. *)
let has_boxes formatter =
  let most = Format.pp_get_max_boxes formatter () in
  Format.pp_set_max_boxes formatter max_int;
  Format.pp_open_hbox formatter ();
  Format.pp_set_max_boxes formatter 2;
  let only_its_own = Format.pp_over_max_boxes formatter () in
  Format.pp_set_max_boxes formatter max_int;
  Format.pp_close_box formatter ();
  Format.pp_set_max_boxes formatter most;
  not only_its_own

(* A program may have set functions of its own in the formatter, and the
   functions may raise. *)
let ignoring f x = match f x with () -> () | exception _ -> ()
let flush_formatter = ignoring (fun f -> Format.pp_print_flush f ())
let formatters () = [ Format.get_std_formatter (); Format.get_err_formatter () ]

let flush () =
  match Domain.DLS.get key with
  | Elsewhere -> ()
  | Sinks _ -> List.iter flush_formatter (formatters ())

let pass_on () =
  match Domain.DLS.get key with
  | Elsewhere -> ()
  | Sinks sinks ->
      let pass_on formatter sink =
        if has_boxes formatter then write_lines sink
        else flush_formatter formatter
      in
      List.iter2 pass_on (formatters ()) sinks

(* {1 Threads} *)

let running = Domain.DLS.new_key (fun () -> Atomic.make 0)

let during f =
  let running = Domain.DLS.get running in
  (match Domain.DLS.get key with Elsewhere -> install () | Sinks _ -> ());
  Atomic.incr running;
  let over () =
    if Atomic.fetch_and_add running (-1) = 1 then flush () else pass_on ()
  in
  Fun.protect f ~finally:over

(* {1 The program's domains} *)

let of_caller () =
  let pass_on formatter =
    if has_boxes formatter then
      (Format.pp_get_formatter_out_functions formatter ()).out_flush ()
    else Format.pp_print_flush formatter ()
  in
  let pass_on formatter =
    match pass_on formatter with () -> () | exception Sys_error _ -> ()
  in
  List.iter pass_on (formatters ())
