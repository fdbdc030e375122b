let count ~call ?max n =
  (match max with
  | Some max when max < 1 ->
      invalid_arg (Printf.sprintf "%s: ~max:%d is not positive" call max)
  | Some _ | None -> ());
  if Fiber.current () == Fiber.nobody then Misplaced.no_fiber call;
  Int.min n (Option.value max ~default:n)

let alone f = Scope.run (fun _ -> f ())

let serve_all scope n ~runners job =
  let next = Atomic.make 0 and fls = Storage.current () in
  let rec serve () =
    let i = Atomic.fetch_and_add next 1 in
    if i < n then begin
      Cancel.check (Fiber.current ());
      Storage.within fls (fun () -> job i);
      serve ()
    end
  in
  for _ = 1 to runners do
    Scope.fork scope serve
  done

let go ~call ?max n job =
  let runners = count ~call ?max n in
  (* The scope is the jobs', not an index's: a loop gives each index a stream. *)
  Scope.run (fun scope ->
      Stream.loop (job scope) (fun job -> serve_all scope n ~runners job))
