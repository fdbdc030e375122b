(* A plugin with variables of its own: data made at load time, data kept by later calls,
   and an exception. *)

exception Own of int

let names = Array.init 1000 string_of_int
let kept = ref []
let mutex = Mutex.create ()
let large = lazy (Array.init 100_000 (fun i -> [ i ]))

let keep s =
  Mutex.protect mutex (fun () ->
      kept := s :: (if List.length !kept > 100 then [] else !kept);
      List.length !kept)

let () =
  Registry.add "names" (fun n ->
      let fresh = String.concat "" [ "<"; names.(n); ">" ] in
      names.(n) <- string_of_int n;
      ignore (keep fresh : int);
      [ names.(n); fresh ]);
  Registry.add "large" (fun n -> List.map string_of_int (Lazy.force large).(n));
  Registry.add "refuse" (fun n -> raise (Registry.Refused names.(n)));
  Registry.add "own" (fun n ->
      try if n > 0 then raise (Own n) else [] with Own n -> [ names.(n) ])
