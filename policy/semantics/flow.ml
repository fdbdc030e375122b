open Code

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

(* Sets of registers, 64 in a word. A long handler has as many registers as
   instructions, and a set for each instruction. *)
module Registers = struct
  let create count = Bytes.make (8 * ((count + 63) / 64)) '\000'
  let words set = Bytes.length set / 8
  let bit r = Int64.shift_left 1L (r land 63)
  let get set w = Bytes.get_int64_ne set (8 * w)
  let put set w bits = Bytes.set_int64_ne set (8 * w) bits
  let add set r = put set (r / 64) (Int64.logor (get set (r / 64)) (bit r))

  let remove set r =
    put set (r / 64) (Int64.logand (get set (r / 64)) (Int64.lognot (bit r)))

  let unite set other =
    for w = 0 to words set - 1 do
      put set w (Int64.logor (get set w) (get other w))
    done

  (* Register 0, the place in the code, is left out. *)
  let elements set =
    let found = ref [] in
    for w = words set - 1 downto 0 do
      let bits = get set w in
      if bits <> 0L then
        for r = (64 * w) + 63 downto Int.max 1 (64 * w) do
          if Int64.logand bits (bit r) <> 0L then found := r :: !found
        done
    done;
    Array.of_list !found
end

(* Backward data flow, to the least solution. *)
let live code ~entry ~last kinds =
  let registers = Array.length kinds in
  let sets =
    Array.init (last - entry + 1) (fun _ -> Registers.create registers)
  in
  let changed = ref true in
  let update at =
    let now = Registers.create registers in
    List.iter
      (fun next ->
        if next >= entry && next <= last then
          Registers.unite now sets.(next - entry))
      (after code at);
    let registers = List.filter (fun r -> r >= 0) in
    List.iter (Registers.remove now) (registers (defined_at code at));
    List.iter (Registers.add now) (registers (used_at code at));
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
  Array.map Registers.elements sets

(* Backward data flow from the ends. [ends] is true at a place from which the
   handler may end without a step. Code goes forward except for loops, so few
   passes are made. *)
let may_end code =
  let ends = Array.make (Array.length code + 1) false in
  let changed = ref true in
  let now at =
    match code.(at) with
    | End -> true
    | Step _ -> false
    | Pure _ | Branch _ | Jump _ ->
        List.exists (fun next -> ends.(next)) (after code at)
  in
  while !changed do
    changed := false;
    for at = Array.length code - 1 downto 0 do
      if (not ends.(at)) && now at then begin
        ends.(at) <- true;
        changed := true
      end
    done
  done;
  Array.mapi
    (fun at -> function
      | Step _ -> ends.(at + 1) | Pure _ | Branch _ | Jump _ | End -> false)
    code

(* A depth-first walk forward. *)
let handed_over code =
  let reached = Array.make (Array.length code) false in
  let rec go at =
    if not reached.(at) then begin
      reached.(at) <- true;
      List.iter go (after code at)
    end
  in
  Array.iteri
    (fun at -> function
      | Step { hands_over = true; _ } -> List.iter go (after code at)
      | Step _ | Pure _ | Branch _ | Jump _ | End -> ())
    code;
  reached
