(* A task gets objects that are pinned for the forks of a second task. A value that the
   first task stores there must outlive the first task's own joins. *)

let strings n = List.init n string_of_int

(* A task of this domain forks, and [other] uses the branch in a second domain before the
   join. *)
let beside make ~other =
  let step = Atomic.make 0 and offered = Atomic.make Task.none in
  let elsewhere () =
    Check.await step 1;
    let branch = Atomic.get offered in
    Check.must "no other domain has it" (Task.take branch);
    Task.enter branch;
    other branch (fun () ->
        Atomic.set step 2;
        Check.await step 3);
    Atomic.set step 4
  in
  let other = Domain.spawn elsewhere in
  Task.run (fun task ->
      let code, check = make () in
      let branch = Task.fork task code in
      Atomic.set offered branch;
      Atomic.set step 1;
      Check.await step 2;
      check ();
      Atomic.set step 3;
      Check.await step 4;
      (Task.join task branch : unit);
      check ());
  Domain.join other

let lose task =
  Task.expire task;
  Check.repeat 4 (fun () -> Check.garbage 100_000)

(* A thread of the domain switches to a further task's heap just after the branch has
   begun. *)
let turned () =
  let make () =
    let x = ref [] in
    let check () = Check.must "the stored value" (!x = strings 100) in
    ((fun () -> x := strings 100), check)
  in
  beside make ~other:(fun branch pause ->
      Task.run (fun another ->
          (Task.code branch () : unit);
          lose another;
          pause ());
      Task.enter branch;
      Task.finish branch ())

(* A branch publishes a bulk-pinned continuation, and a further task resumes the
   continuation. *)
open Effect.Deep

type _ Effect.t += Wait : unit Effect.t
type cell = string list ref
type suspended = { k : (unit, cell) continuation }

let[@inline never] suspended x =
  let kept = ref None in
  let effc : type a. a Effect.t -> ((a, cell) continuation -> cell) option =
    function
    | Wait ->
        Some
          (fun (k : (unit, cell) continuation) ->
            kept := Some { k };
            x)
    | _ -> None
  in
  let waits () =
    Effect.perform Wait;
    x
  in
  ignore (try_with waits () { effc } : cell);
  Option.get !kept

let known = Atomic.make None

let[@inline never] resume_and_store () =
  let { k } = Option.get (Atomic.exchange known None) in
  continue k () := strings 100

let stranded () =
  let make () =
    let x = ref [] in
    let given = (suspended x, strings 20_000) in
    let make_known () =
      let c, l = given in
      Check.must "given" (List.length l = 20_000);
      Atomic.set known (Some c)
    in
    (make_known, fun () -> Check.must "the stored value" (!x = strings 100))
  in
  beside make ~other:(fun branch pause ->
      (Task.code branch () : unit);
      Task.finish branch ();
      Task.run (fun another ->
          resume_and_store ();
          lose another;
          pause ()))

let () =
  Check.case "a branch begun in another task's leaf" turned;
  Check.case "a continuation set apart that another task resumes" stranded
