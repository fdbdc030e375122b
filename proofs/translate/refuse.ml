(* Refuses code outside the subset, with the place and with advice on what to
   write instead. *)

exception Refused of Location.t * string

let refuse loc format =
  Printf.ksprintf (fun reason -> raise (Refused (loc, reason))) format

let message (loc : Location.t) reason =
  let start = loc.loc_start in
  Printf.sprintf "%s:%d:%d: %s" start.pos_fname start.pos_lnum
    (start.pos_cnum - start.pos_bol)
    reason
