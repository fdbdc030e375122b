open Comm

let barrier t =
  run t ~reason:"Dromos_mpi.barrier" (fun () -> Raw.ibarrier t.inner)

(* {1 Values}

   A function of the program may raise. All ranks wait for the messages of the
   operation, so a rank whose function raised sends the failure in place of a value. *)

exception Failed of { rank : int; error : string; backtrace : string }

let () =
  Printexc.register_printer (function
    | Failed { rank; error; backtrace } ->
        Some (Printf.sprintf "rank %d raised %s\n%s" rank error backtrace)
    | _ -> None)

type failure = { at : int; text : string; trace : string }

let failure t e bt =
  {
    at = t.rank;
    text = Printexc.to_string e;
    trace = Printexc.raw_backtrace_to_string bt;
  }

(* [mine] keeps the exception itself, for the rank whose function raised. *)
let attempt t ~mine f =
  match f () with
  | v -> Ok v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      mine := Some (e, bt);
      Error (failure t e bt)

let get ~mine result =
  match (!mine, result) with
  | Some (e, bt), _ -> Printexc.raise_with_backtrace e bt
  | None, Ok v -> v
  | None, Error { at; text; trace } ->
      raise (Failed { rank = at; error = text; backtrace = trace })

let reason call = "Dromos_mpi." ^ call

let send t ~call tag ~to_ v =
  Message.send_value ~reason:(reason call) t.inner ~to_ tag v

let recv t ~call tag ~from =
  snd (Message.recv_value ~reason:(reason call) t.inner ~from tag)

(* Sends the length first, so that the other ranks make room. *)
let broadcast_op t ~call ~root op =
  let start op =
    Comm.start op (fun op -> Raw.ibcast op t.inner root);
    complete ~reason:(reason call) op
  in
  let length = Bigarray.(Array1.create int64 c_layout 1) in
  Option.iter (fun op -> length.{0} <- Int64.of_int (Raw.length op)) op;
  let header = Raw.data length 0 8 in
  start header;
  Raw.free header;
  let op =
    match op with Some op -> op | None -> Raw.room (Int64.to_int length.{0})
  in
  start op;
  op

let broadcast_inside t ~call ~root v =
  let op = broadcast_op t ~call ~root (Option.map Message.marshal v) in
  let value = match v with Some v -> v | None -> Raw.unmarshal op in
  Raw.free op;
  value

let broadcast t ~root v =
  check_rank t ~call:"broadcast" root;
  let mine = ref None in
  get ~mine @@ collective t
  @@ fun _ ->
  broadcast_inside t ~call:"broadcast" ~root
    (if t.rank = root then Some (attempt t ~mine v) else None)

let gather_inside t ~call tag ~root v =
  if t.rank = root then
    Some
      (Array.init t.size (fun from ->
           if from = root then v else recv t ~call tag ~from))
  else begin
    send t ~call tag ~to_:root v;
    None
  end

let gather t ~root v =
  check_rank t ~call:"gather" root;
  collective t @@ fun tag -> gather_inside t ~call:"gather" tag ~root v

let lengths t ~call op =
  let mine = Bigarray.(Array1.create int64 c_layout 1)
  and all = Bigarray.(Array1.create int64 c_layout t.size) in
  mine.{0} <- Int64.of_int (Raw.length op);
  finish ~reason:(reason call)
    (Engine.call (fun () -> Raw.collect 1 t.inner 0 mine all));
  Array.init t.size (fun r -> Int64.to_int all.{r})

(* Sends each rank's bytes to all ranks, by broadcasts that all run at once. *)
let exchange t ~call mine v lengths =
  let started =
    Array.mapi
      (fun root length ->
        let op = if root = t.rank then mine else Raw.room length in
        Comm.start op (fun op -> Raw.ibcast op t.inner root);
        op)
      lengths
  in
  Array.iter (complete ~reason:(reason call)) started;
  Array.mapi
    (fun root op ->
      free_after op (fun op -> if root = t.rank then v else Raw.unmarshal op))
    started

let short = 4096
(* bytes; up to this length fewer messages are better than fewer copies *)

let all_gather t v =
  collective t @@ fun tag ->
  let call = "all_gather" in
  let mine = Message.marshal v in
  let lengths = lengths t ~call mine in
  if Array.for_all (fun length -> length <= short) lengths then begin
    Raw.free mine;
    broadcast_inside t ~call ~root:0 (gather_inside t ~call tag ~root:0 v)
  end
  else exchange t ~call mine v lengths

let scatter t ~root values =
  let call = "scatter" in
  check_rank t ~call root;
  let all () =
    let values = values () in
    if Array.length values = t.size then values
    else
      invalid_arg
        (Printf.sprintf "Dromos_mpi.scatter: %d values for %d ranks"
           (Array.length values) t.size)
  in
  let mine = ref None in
  get ~mine @@ collective t
  @@ fun tag ->
  if t.rank <> root then recv t ~call tag ~from:root
  else begin
    let values = attempt t ~mine all in
    let value rank = Result.map (fun values -> values.(rank)) values in
    for to_ = 0 to t.size - 1 do
      if to_ <> root then send t ~call tag ~to_ (value to_)
    done;
    value root
  end

(* Each rank sends all its values before it receives, so no rank waits for another
   rank's order. *)
let all_to_all t values =
  let call = "all_to_all" in
  if Array.length values <> t.size then
    invalid_arg
      (Printf.sprintf "Dromos_mpi.all_to_all: %d values for %d ranks"
         (Array.length values) t.size);
  collective t @@ fun tag ->
  let sent =
    List.init (t.size - 1) (fun i ->
        let to_ = (t.rank + i + 1) mod t.size in
        Message.isend_value t.inner ~to_ tag values.(to_))
  in
  let received =
    Array.init t.size (fun from ->
        if from = t.rank then values.(from) else recv t ~call tag ~from)
  in
  List.iter Dromos_sync.Promise.await sent;
  received

(* A tree over neighbours: a rank always holds the value of adjacent ranks, or the
   failure of the leftmost. *)
let reduce_inside t ~call ~mine tag f v =
  let f a b =
    match (a, b) with
    | Ok a, Ok b -> attempt t ~mine (fun () -> f a b)
    | (Error _ as failure), _ | _, (Error _ as failure) -> failure
  in
  let rec go mask v =
    if mask >= t.size then Some v
    else if t.rank land mask <> 0 then begin
      send t ~call tag ~to_:(t.rank - mask) v;
      None
    end
    else if t.rank + mask < t.size then
      go (2 * mask) (f v (recv t ~call tag ~from:(t.rank + mask)))
    else go (2 * mask) v
  in
  go 1 (Ok v)

let reduce t ~root f v =
  let call = "reduce" in
  check_rank t ~call root;
  let mine = ref None in
  let at_root =
    collective t @@ fun tag ->
    let at_0 = reduce_inside t ~call ~mine tag f v in
    if root = 0 then at_0
    else
      match at_0 with
      | Some v ->
          send t ~call tag ~to_:root v;
          None
      | None when t.rank = root -> Some (recv t ~call tag ~from:0)
      | None -> None
  in
  match (at_root, !mine) with
  | Some result, _ -> Some (get ~mine result)
  | None, None -> None
  | None, Some (e, bt) -> Printexc.raise_with_backtrace e bt

let all_reduce t f v =
  let call = "all_reduce" in
  let mine = ref None in
  get ~mine @@ collective t
  @@ fun tag ->
  broadcast_inside t ~call ~root:0 (reduce_inside t ~call ~mine tag f v)
