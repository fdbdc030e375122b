type state = Layout.state
type expression = { value : state -> int -> int; uses : int list }
type kind = Plain | A_thread | Chain
type mover = Neither | Later | Earlier

type step = {
  ready : state -> int -> bool;
  shown : state -> int -> bool;
  run : state -> int -> unit;
  mover : mover;
  locks : bool;
  step_uses : int list;
  step_defines : int list;
  say : state -> int -> state -> string;
}

type instruction =
  | Pure of { work : state -> int -> unit; uses : int list; defines : int list }
  | Branch of { test : expression; otherwise : int ref }
  | Jump of int ref
  | Step of step
  | End

let pc = 0
let self = 1
let target = 2
let first_register = 3

type t = {
  mutable code : instruction array;
  mutable length : int;
  mutable kinds : kind array;
  mutable used : int;
}

let here t = t.length

let emit t i =
  if t.length = Array.length t.code then
    t.code <- Array.append t.code (Array.make t.length End);
  t.code.(t.length) <- i;
  t.length <- t.length + 1

let create () =
  { code = Array.make 256 End; length = 1; kinds = [||]; used = 0 }

let label () = ref (-1)
let place t l = l := t.length
let registers t = Array.sub t.kinds 0 t.used

let start_handler t ~target =
  t.kinds <- Array.make 64 Plain;
  t.kinds.(2) <- target;
  t.used <- first_register

let fresh ?(kind = Plain) ?(count = 1) t =
  let first = t.used in
  t.used <- first + count;
  if t.used > Array.length t.kinds then
    t.kinds <- Array.append t.kinds (Array.make (2 * t.used) Plain);
  Array.fill t.kinds first count kind;
  first

let instructions t = Array.sub t.code 0 t.length

let after code at =
  match code.(at) with
  | Pure _ | Step _ -> [ at + 1 ]
  | Branch { otherwise; _ } -> [ at + 1; !otherwise ]
  | Jump l -> [ !l ]
  | End -> []

let used_at code at =
  match code.(at) with
  | Pure { uses; _ } -> uses
  | Branch { test; _ } -> test.uses
  | Step { step_uses; _ } -> step_uses
  | Jump _ | End -> []

let defined_at code at =
  match code.(at) with
  | Pure { defines; _ } -> defines
  | Step { step_defines; _ } -> step_defines
  | Branch _ | Jump _ | End -> []

(* Backward data flow, to the least solution. *)
let live code ~entry ~last kinds =
  let registers = Array.length kinds in
  let sets =
    Array.init (last - entry + 1) (fun _ -> Bytes.make registers ' ')
  in
  let changed = ref true in
  let update at =
    let now = Bytes.make registers ' ' in
    List.iter
      (fun next ->
        if next >= entry && next <= last then
          Bytes.iteri
            (fun r c -> if c <> ' ' then Bytes.set now r c)
            sets.(next - entry))
      (after code at);
    List.iter (fun r -> Bytes.set now r ' ') (defined_at code at);
    List.iter (fun r -> Bytes.set now r 'x') (used_at code at);
    if not (Bytes.equal now sets.(at - entry)) then begin
      sets.(at - entry) <- now;
      changed := true
    end
  in
  while !changed do
    changed := false;
    for at = last downto entry do
      update at
    done
  done;
  Array.map
    (fun set ->
      let found = ref [] in
      for r = registers - 1 downto 1 do
        if Bytes.get set r <> ' ' then found := r :: !found
      done;
      Array.of_list !found)
    sets

let may_end code at =
  let seen = Hashtbl.create 8 in
  let rec ends at =
    if Hashtbl.mem seen at then false
    else begin
      Hashtbl.add seen at ();
      match code.(at) with
      | End -> true
      | Step _ -> false
      | Pure _ | Branch _ | Jump _ -> List.exists ends (after code at)
    end
  in
  ends (at + 1)
