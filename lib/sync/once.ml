(* A Treiber stack of listeners in one atomic word, until the value takes its
   place. States are replaced as a whole, by compare-and-set of freshly
   allocated blocks, so there is no ABA. Nodes are immutable. A stack and its
   swept copy share cells, so [leave] reaches a listener in both. *)

type 'a cell = { mutable callback : 'a -> unit }
(* [callback] is [left] once the listener has gone. Only [leave] writes the
   field; the closing thread and sweeps read it without synchronisation. A
   closing thread that reads the old value calls a callback that is just
   leaving, and [leave] allows the call. A sweep that reads the old value keeps
   the cell for one more round. *)

type 'a state =
  | Untouched
  | Open of {
      cell : 'a cell;
      next : 'a state;
      size : int; (* nodes from this one on *)
      limit : int; (* sweep when [size] reaches this *)
    }
  | Closed of { value : 'a }

type 'a t = 'a state Atomic.t
type 'a listener = 'a cell option

let left _ = ()
let create () = Atomic.make Untouched
let closed value = Atomic.make (Closed { value })

let peek t =
  match Atomic.get t with
  | Closed { value } -> Some value
  | Untouched | Open _ -> None

let is_closed t =
  match Atomic.get t with Closed _ -> true | Untouched | Open _ -> false

let nobody = None

(* The cells whose listeners have not left, oldest first. *)
let live state =
  let rec collect acc = function
    | Untouched | Closed _ -> acc
    | Open { cell; next; _ } ->
        collect (if cell.callback == left then acc else cell :: acc) next
  in
  collect [] state

let push limit state cell =
  let size =
    match state with Untouched | Closed _ -> 0 | Open { size; _ } -> size
  in
  Open { cell; next = state; size = size + 1; limit }

let least_limit = 16

(* [state] with one more cell; a full stack is swept first. The next limit is
   twice the number of remaining cells. The n/2 or more listeners that came
   since the last sweep pay for a sweep of n nodes. *)
let extended state cell =
  match state with
  | Untouched | Closed _ -> push least_limit state cell
  | Open { size; limit; _ } when size < limit -> push limit state cell
  | Open _ ->
      let cells = live state in
      let limit = Int.max least_limit (2 * List.length cells) in
      push limit (List.fold_left (push limit) Untouched cells) cell

let rec add t cell =
  match Atomic.get t with
  | Closed _ -> nobody
  | (Untouched | Open _) as state ->
      if Atomic.compare_and_set t state (extended state cell) then Some cell
      else add t cell

let listen t callback = add t { callback }
let leave = function None -> () | Some cell -> cell.callback <- left

let tell state value =
  match state with
  | Untouched | Closed _ -> ()
  | Open _ -> List.iter (fun cell -> cell.callback value) (live state)

let rec close t value =
  match Atomic.get t with
  | Closed _ -> false
  | (Untouched | Open _) as state ->
      if Atomic.compare_and_set t state (Closed { value }) then begin
        tell state value;
        true
      end
      else close t value
