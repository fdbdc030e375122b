(* Newest first. A taker that waits is there only while there is no item. *)
type 'a arrivals =
  | Items of 'a list
  | Nothing_for of unit Dromos_suspend.resumer
  | Closed of ('a -> unit)

(* [oldest] is the vproc's own: plain. *)
type 'a t = { mutable oldest : 'a list; arrivals : 'a arrivals Atomic.t }

let create () = { oldest = []; arrivals = Atomic.make_contended (Items []) }

let rec add t item =
  let seen = Atomic.get t.arrivals in
  let replace next = Atomic.compare_and_set t.arrivals seen next in
  match seen with
  | Items items -> if not (replace (Items (item :: items))) then add t item
  | Nothing_for resume ->
      if not (replace (Items [ item ])) then add t item
      else
        (* A taker that was cancelled leaves the item for the next. *)
        ignore (resume (Ok ()) : bool)
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
      match seen with
      | Items (_ :: _) -> Some ()
      | Closed _ -> invalid_arg "Dromos: a scheduler waits on its closed queue"
      | Items [] | Nothing_for _ ->
          (* Whoever waited before has been cancelled: one takes at a time. *)
          if Atomic.compare_and_set t.arrivals seen (Nothing_for resume) then
            None
          else Some ())

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

(* The resumer has a finaliser, which keeps it if nobody else does. *)
let let_go t =
  let kept = ref None and weak = Weak.create 1 in
  let seen = Atomic.get t.arrivals in
  (match seen with
  | Items _ | Closed _ -> ()
  | Nothing_for resume ->
      if Atomic.compare_and_set t.arrivals seen (Items []) then begin
        Weak.set weak 0 (Some resume);
        Gc.finalise (fun resume -> kept := Some resume) resume
      end);
  let rec put_back resume =
    let seen = Atomic.get t.arrivals in
    match seen with
    | Items [] ->
        if not (Atomic.compare_and_set t.arrivals seen (Nothing_for resume))
        then put_back resume
    | Items (_ :: _) | Nothing_for _ | Closed _ ->
        ignore (resume (Ok ()) : bool)
  in
  fun () ->
    (match !kept with Some _ as found -> found | None -> Weak.get weak 0)
    |> Option.iter put_back;
    kept := None

let close t otherwise =
  let arrived =
    match Atomic.exchange t.arrivals (Closed otherwise) with
    | Items items -> List.rev items
    | Nothing_for _ | Closed _ -> []
  in
  let left = t.oldest @ arrived in
  t.oldest <- [];
  List.iter otherwise left
