(* The copies see this module in place of the real modules. *)

module Atomic = Dscheck.TracedAtomic

(* Two words, made again for each execution. *)
let reset : (unit -> unit) list ref = ref []

type 'a words = { make : unit -> 'a; mutable now : 'a array }

let words make =
  let words = { make; now = [||] } in
  reset := (fun () -> words.now <- Array.init 2 (fun _ -> make ())) :: !reset;
  words

let get words = words.now

let emptied cell =
  reset := (fun () -> Atomic.set cell []) :: !reset;
  cell

let printed = ref 0

module Owner = struct
  type t = int

  let nobody = 0
  let pp ?name:_ id = string_of_int id
end

module Dromos_service = struct
  module Stack_room = struct
    let ensure _ = ()
  end

  module Message = struct
    type level = Error
    type about = Deadlock

    let tell Error Deadlock (_ : string) = incr printed
  end
end
