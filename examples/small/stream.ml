(* A stream between tasks: two make numbers, two take them, and at most four
   numbers are under way. Who takes which number is chance, the sum is not. *)

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
      (* Both are over here, so nothing is added to a closed stream. *)
      Stream.close numbers;
      Printf.printf "the sum is %d\n" (await left + await right))
