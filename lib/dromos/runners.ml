open Dromos_fiber

let count ~call ?max n =
  (match max with
  | Some max when max < 1 ->
      invalid_arg (Printf.sprintf "%s: ~max:%d is not positive" call max)
  | Some _ | None -> ());
  if Fiber.current () == Fiber.nobody then Misplaced.no_fiber call;
  Int.min n (Option.value max ~default:n)

let alone f = Scope.run (fun _ -> f ())

(* A runner takes numbers until [job] answers [false]. *)
let rec serve next fls job =
  let i = Atomic.fetch_and_add next 1 in
  Cancel.check (Fiber.current ());
  if Storage.within fls (fun () -> job i) then serve next fls job

let go ~call ?max n job =
  let runners = count ~call ?max n in
  (* [job scope] is applied to the scope outside the loop: the loop gives each
     index a stream of random numbers. *)
  Scope.run (fun scope ->
      Stream.loop (job scope) (fun job ->
          let next = Atomic.make 0 and fls = Storage.current () in
          let job i =
            i < n
            && begin
                 job i;
                 true
               end
          in
          for _ = 1 to runners do
            Scope.fork scope (fun () -> serve next fls job)
          done))

let endless scope ~most job =
  Stream.loop job (fun job ->
      let next = Atomic.make 0 and fls = Storage.current () in
      let rec runner nth () =
        if nth < most then Scope.fork scope (runner (nth + 1));
        serve next fls job
      in
      Scope.fork scope (runner 1))
