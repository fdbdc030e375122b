module Line = Dromos_sync.Author.Line

(* [hungry] has the sleeping instances. An instance enters the list in the
   compare-and-set that saw no item for the instance, and each added item wakes an
   instance. No instance therefore sleeps beside an item that it could take, unless
   another instance was woken for the item. *)
type 'a state =
  | Open of { items : 'a Line.t; hungry : Sleepers.sleeper list }
  | Closed of ('a -> unit)

type 'a t = {
  gone : 'a -> bool;
  suits : 'a -> Vproc.t -> bool;
  state : 'a state Atomic.t;
}

let create ~gone ~suits () =
  let state = Open { items = Line.empty; hungry = [] } in
  { gone; suits; state = Atomic.make_contended state }

(* {1 Waking} *)

let choose t item hungry = Sleepers.choose ~able:(t.suits item) hungry

(* If the preferred instance had been cancelled, others are woken in its place. *)
let rec wake t item = function
  | [] -> ()
  | chosen -> if not (Sleepers.wake chosen) then wake_others t item

and wake_others t item =
  let seen = Atomic.get t.state in
  match seen with
  | Closed _ | Open { hungry = []; _ } -> ()
  | Open { items; hungry } ->
      let chosen, hungry = choose t item hungry in
      if Atomic.compare_and_set t.state seen (Open { items; hungry }) then
        wake t item chosen
      else wake_others t item

(* A single compare-and-set adds the item and takes the instances to wake off the
   list. In two steps, an instance might be woken for a later item and take the
   earlier item, although no other instance can take the later item. *)
let rec add t item =
  let seen = Atomic.get t.state in
  match seen with
  | Closed otherwise -> otherwise item
  | Open { items; hungry } ->
      let items = Line.push ~gone:t.gone items item in
      let chosen, hungry = choose t item hungry in
      if Atomic.compare_and_set t.state seen (Open { items; hungry }) then
        wake t item chosen
      else add t item

(* {1 Taking} *)

type 'a found = Nothing | Ready_line of 'a Line.t | Found of 'a * 'a Line.t

let find t vproc items =
  match Line.view ~gone:t.gone items with
  | Nobody -> Nothing
  | Again items -> Ready_line items
  | First (item, rest) when t.suits item vproc -> Found (item, rest)
  | First _ -> (
      match
        Line.extract ~gone:t.gone (fun item -> t.suits item vproc) items
      with
      | None -> Nothing
      | Some (item, rest) -> Found (item, rest))

let rec take_opt t vproc =
  let seen = Atomic.get t.state in
  match seen with
  | Closed _ -> None
  | Open { items; hungry } -> (
      let replace items =
        Atomic.compare_and_set t.state seen (Open { items; hungry })
      in
      match find t vproc items with
      | Nothing -> None
      | Ready_line items ->
          ignore (replace items : bool);
          take_opt t vproc
      | Found (item, rest) ->
          if replace rest then Some item else take_opt t vproc)

let wait ~reason t vproc =
  Dromos_suspend.suspend ~reason (fun resume ->
      let rec sleep () =
        let seen = Atomic.get t.state in
        match seen with
        | Closed _ -> invalid_arg "Dromos: a gang waits on its closed queue"
        | Open { items; hungry } -> (
            match find t vproc items with
            | Found _ | Ready_line _ -> Some ()
            | Nothing ->
                let hungry = { Sleepers.vproc; resume } :: hungry in
                if Atomic.compare_and_set t.state seen (Open { items; hungry })
                then None
                else sleep ())
      in
      sleep ())

(* [take] asks for the vproc each time: a scheduler below that ignores
   [Core.only_on] may move an instance while it waits. *)
let rec take ~reason t =
  let vproc = Vproc.host () in
  match take_opt t vproc with
  | Some item -> item
  | None ->
      wait ~reason t vproc;
      take ~reason t

let close t otherwise =
  match Atomic.exchange t.state (Closed otherwise) with
  | Closed _ -> ()
  | Open { items; _ } -> Line.iter ~gone:t.gone otherwise items
