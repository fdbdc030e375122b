open Dromos_fiber
module State = Stdlib.Random.State

let run ~seed f = Stream.within (Stream.root seed) f

let stream call =
  match Stream.find () with
  | Some stream -> Stream.state ~call stream
  | None ->
      raise
        (Misplaced.Misplaced
           (call
          ^ ": no stream of random numbers here; call it inside \
             Dromos.Random.run ~seed"))

let state () = stream "Dromos.Random.state"
let bits () = State.bits (stream "Dromos.Random.bits")
let int n = State.int (stream "Dromos.Random.int") n
let full_int n = State.full_int (stream "Dromos.Random.full_int") n

let int_in_range ~min ~max =
  State.int_in_range (stream "Dromos.Random.int_in_range") ~min ~max

let int32 n = State.int32 (stream "Dromos.Random.int32") n
let int64 n = State.int64 (stream "Dromos.Random.int64") n
let nativeint n = State.nativeint (stream "Dromos.Random.nativeint") n
let float x = State.float (stream "Dromos.Random.float") x
let bool () = State.bool (stream "Dromos.Random.bool")
let bits32 () = State.bits32 (stream "Dromos.Random.bits32")
let bits64 () = State.bits64 (stream "Dromos.Random.bits64")
