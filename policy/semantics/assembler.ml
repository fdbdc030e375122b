open Code

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
  t.kinds.(Frame.target) <- target;
  t.kinds.(Frame.waker) <- A_thread;
  t.used <- Frame.first_register

let fresh ?(kind = Plain) ?(count = 1) t =
  let first = t.used in
  t.used <- first + count;
  if t.used > Array.length t.kinds then
    t.kinds <- Array.append t.kinds (Array.make (2 * t.used) Plain);
  Array.fill t.kinds first count kind;
  first

let instructions t = Array.sub t.code 0 t.length
