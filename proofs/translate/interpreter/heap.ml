(* The heap. A location without a cell separates two blocks, so an access past
   the end of a block finds no cell. *)

type t = { mutable cells : Value.t option array; mutable next : int }

let create () = { cells = Array.make 1024 None; next = 1 }

let reserve t n =
  let wanted = t.next + n + 1 in
  let length = Array.length t.cells in
  if wanted > length then begin
    let grown = Array.make (max wanted (2 * length)) None in
    Array.blit t.cells 0 grown 0 length;
    t.cells <- grown
  end

let alloc t n v =
  reserve t n;
  let l = t.next in
  Array.fill t.cells l n (Some v);
  t.next <- l + n + 1;
  l

let get t l = if l < 0 || l >= t.next then None else t.cells.(l)
let set t l v = t.cells.(l) <- Some v
