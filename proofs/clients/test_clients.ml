(* Runs the programs of this folder; the proofs say that the results are always
   the expected ones. *)

let check name expected got =
  if got <> expected then (
    Printf.eprintf "FAIL %s: %d, not %d\n" name got expected;
    exit 1)
  else Printf.printf "PASS %s\n" name

let sum n = n * (n + 1) / 2

(* An owner pushes 1 to [n] and pops after every third push, while a thief
   steals. Returns the sum of the items that both have taken. *)
let infinite n =
  let open Dromos_clients in
  let deque = Infinite.create ~dummy:0 in
  let stop = Atomic.make false in
  let value = function None -> 0 | Some v -> v in
  let thief () =
    let rec steal sum =
      let last = Atomic.get stop in
      match Infinite.steal deque with
      | Some v -> steal (sum + v)
      | None -> if last then sum else steal sum
    in
    steal 0
  in
  let domain = Domain.spawn thief in
  let popped = ref 0 in
  for i = 1 to n do
    Infinite.push deque i;
    if i mod 3 = 0 then popped := !popped + value (Infinite.pop deque)
  done;
  Atomic.set stop true;
  let stolen = Domain.join domain in
  if not (Infinite.is_empty deque) then -1 else !popped + stolen

let () =
  let open Dromos_clients in
  check "stealing, one thief" (sum 1000) (Stealing_client.run 16 1 1000);
  check "stealing, two thieves" (sum 1000) (Stealing_client.run 4 2 1000);
  check "stealing, alone and full" (sum 20) (Stealing_client.run 4 0 20);
  check "messages" (sum 1000) (Messages_client.run 1000);
  check "no message" 0 (Messages_client.run 0);
  check "fib, one worker" 144 (Fib_client.run 1 12);
  check "fib, two workers" 610 (Fib_client.run 2 15);
  check "an array doubled" (1000 * 999) (Double_array_client.run 2 1000);
  check "an empty array" 0 (Double_array_client.run 2 0);
  check "quicksort" 1000 (Quicksort_client.run 2 1000);
  check "quicksort of one" 1 (Quicksort_client.run 2 1);
  check "infinite deque, one thief" (sum 1000) (infinite 1000);
  check "a pool of one" (2 * sum 50) (Pool_client.run 1 50);
  for _ = 1 to 20 do
    check "a pool of three" (2 * sum 50) (Pool_client.run 3 50)
  done
