module Stream = Dromos_sync.Stream

type 'a t = 'a Pipe.t

let from = Pipe.from
let of_stream stream = from (Stream.to_seq stream)
let of_function f = from (Seq.of_dispenser f)
let parallel = Pipe.parallel
let filter_map = Pipe.filter_map
let serial = Pipe.serial
let exclusive = Pipe.exclusive
let iter_named ~call ?tokens f pipe = Pipe.iter ~call ~tokens f pipe
let iter ?tokens f = iter_named ~call:"Dromos.Pipeline.iter" ?tokens f

(* The sink is called in turn, so the accumulator has one writer at a time. *)
let fold_named ~call ?tokens f zero pipe =
  let acc = ref zero in
  iter_named ~call ?tokens (fun x -> acc := f !acc x) pipe;
  !acc

let fold ?tokens f = fold_named ~call:"Dromos.Pipeline.fold" ?tokens f

let to_list ?tokens pipe =
  let call = "Dromos.Pipeline.to_list" in
  List.rev (fold_named ~call ?tokens (Fun.flip List.cons) [] pipe)

let to_stream ?tokens stream =
  iter_named ~call:"Dromos.Pipeline.to_stream" ?tokens (Stream.add stream)

let consume ?tokens f pipe =
  Pipe.consume ~call:"Dromos.Pipeline.consume" ~tokens f pipe
