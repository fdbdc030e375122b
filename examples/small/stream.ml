(* A stream between tasks: two tasks make numbers, two tasks take numbers, and
   at most four numbers are under way. Chance gives a number to a consumer; the
   sum is always equal. *)

open Dromos

let () =
  run (fun () ->
      let numbers = Stream.create 4 in
      let produce first () =
        for i = first to first + 499 do
          Stream.add numbers i
        done
      in
      let consume () = Stream.fold ( + ) 0 numbers in
      let left = async consume and right = async consume in
      Scope.run (fun producers ->
          Scope.fork producers (produce 1);
          Scope.fork producers (produce 501));
      (* Both producers are over. *)
      Stream.close numbers;
      Printf.printf "the sum is %d\n" (await left + await right))
