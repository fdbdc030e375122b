(* [Items]: newest first. A taker waits only while [arrivals] has no item.
   Meanwhile another taker may have items in [oldest], and goes on to take them.
   *)
type 'a arrivals =
  | Items of 'a list
  | Nothing_for of unit Dromos_suspend.resumer list
  | Closed of ('a -> unit)

(* Only the vproc uses [oldest], so the field is plain. *)
type 'a t = { mutable oldest : 'a list; arrivals : 'a arrivals Atomic.t }

let create () = { oldest = []; arrivals = Atomic.make_contended (Items []) }

(* Wakes all takers, and each looks; as a rule there is a single taker. A taker
   that was cancelled leaves the item to the others. *)
let wake = List.iter (fun resume -> ignore (resume (Ok ()) : bool))

let rec add t item =
  let seen = Atomic.get t.arrivals in
  let replace next = Atomic.compare_and_set t.arrivals seen next in
  match seen with
  | Items items -> if not (replace (Items (item :: items))) then add t item
  | Nothing_for takers ->
      if replace (Items [ item ]) then wake takers else add t item
  | Closed otherwise -> otherwise item

let rec fetch t =
  let seen = Atomic.get t.arrivals in
  match seen with
  | Items [] | Nothing_for _ | Closed _ -> ()
  | Items items ->
      if Atomic.compare_and_set t.arrivals seen (Items []) then
        t.oldest <- List.rev items
      else fetch t

let take_opt t =
  (match t.oldest with [] -> fetch t | _ :: _ -> ());
  match t.oldest with
  | [] -> None
  | item :: rest ->
      t.oldest <- rest;
      Some item

let wait ~reason t =
  Dromos_suspend.suspend ~reason (fun resume ->
      let seen = Atomic.get t.arrivals in
      let wait_with others =
        let next = Nothing_for (resume :: others) in
        if Atomic.compare_and_set t.arrivals seen next then None else Some ()
      in
      match seen with
      | Items (_ :: _) -> Some ()
      | Items [] -> wait_with []
      | Nothing_for takers -> wait_with takers
      | Closed _ -> invalid_arg "Dromos: a scheduler waits on its closed queue")

let rec take ~reason t =
  match take_opt t with
  | Some item -> item
  | None ->
      wait ~reason t;
      take ~reason t

let length t =
  List.length t.oldest
  +
  match Atomic.get t.arrivals with
  | Items items -> List.length items
  | Nothing_for _ | Closed _ -> 0

let let_go t =
  let seen = Atomic.get t.arrivals in
  let gone =
    match seen with
    | Items _ | Closed _ -> []
    | Nothing_for takers ->
        if Atomic.compare_and_set t.arrivals seen (Items []) then
          List.map Let_go.value takers
        else []
  in
  let rec put_back takers =
    let seen = Atomic.get t.arrivals in
    let replace next =
      if not (Atomic.compare_and_set t.arrivals seen next) then put_back takers
    in
    match seen with
    | Items [] -> replace (Nothing_for takers)
    | Nothing_for others -> replace (Nothing_for (takers @ others))
    | Items (_ :: _) | Closed _ -> wake takers
  in
  fun () ->
    match List.map Let_go.back gone with [] -> () | takers -> put_back takers

let close t otherwise =
  let arrived =
    match Atomic.exchange t.arrivals (Closed otherwise) with
    | Items items -> List.rev items
    | Nothing_for _ | Closed _ -> []
  in
  let left = t.oldest @ arrived in
  t.oldest <- [];
  List.iter otherwise left
