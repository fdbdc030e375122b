type t = { mutable cells : Bytes.t; mutable length : int }

let make length = { cells = Bytes.make (4 * length) '\000'; length }
let empty () = { cells = Bytes.create 256; length = 0 }
let length t = t.length
let get t i = Int32.to_int (Bytes.get_int32_ne t.cells (4 * i))
let set t i v = Bytes.set_int32_ne t.cells (4 * i) (Int32.of_int v)

let push t v =
  let room = Bytes.length t.cells in
  if 4 * t.length = room then begin
    let cells = Bytes.create (2 * room) in
    Bytes.blit t.cells 0 cells 0 room;
    t.cells <- cells
  end;
  t.length <- t.length + 1;
  set t (t.length - 1) v
