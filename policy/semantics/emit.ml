open Core
open Scope

let kind_of = function Thread -> Code.A_thread | _ -> Code.Plain

let register t local =
  match Hashtbl.find_opt t.locals local.local_id with
  | Some r -> r
  | None ->
      let r = Assembler.fresh ~kind:(kind_of local.local_ty) t.asm in
      Hashtbl.add t.locals local.local_id r;
      r

let read r : Code.expression = { value = (fun s f -> s.(f + r)); uses = [ r ] }
let constant n : Code.expression = { value = (fun _ _ -> n); uses = [] }

let pure t ~uses ~defines work =
  Assembler.emit t.asm (Pure { work; uses; defines })

let set t r (e : Code.expression) =
  let value = e.value in
  pure t ~uses:e.uses ~defines:[ r ] (fun s f -> s.(f + r) <- value s f)

let save t ?kind e =
  let r = Assembler.fresh ?kind t.asm in
  set t r e;
  r

let phrase event target =
  let thread = "t" ^ string_of_int (target - 1) in
  match event with
  | New -> "new " ^ thread
  | Unblock -> thread ^ " wakes up"
  | Block -> thread ^ " blocks"
  | Terminate -> thread ^ " ends"
  | Yield -> thread ^ " yields"
  | Tick -> "tick of " ^ thread
  | Detach -> thread ^ " leaves the policy"
  | Withdraw -> thread ^ " is detached"
  | Attach -> thread ^ " is attached"
  | Schedule -> "schedule"
  | Balancing -> "balancing"
  | Newly_idle -> "nothing left to run,"
  | Enter_idle -> "enter_idle"
  | Exit_idle -> "exit_idle"
  | Entry -> "entry"
  | Exit -> "exit"

let who t s f =
  Printf.sprintf "core %d: %s%s%s "
    s.(f + Frame.self)
    (phrase t.event s.(f + Frame.target))
    (match t.stealing_for with
    | Some r -> Printf.sprintf " for core %d" s.(f + r)
    | None -> "")
    (match t.event with Balancing | Newly_idle -> "" | _ -> ":")

let always _ _ = true
let one_way _ _ = 1

let step t ?(ready = always) ?(shown = always) ?(mover = Code.Neither)
    ?(locks = false) ?(hands_over = false) ?(ways = one_way) ?(defines = [])
    ~uses ~say run =
  Assembler.emit t.asm
    (Step
       {
         ready;
         shown;
         run;
         mover;
         locks;
         hands_over;
         ways;
         step_uses = uses;
         step_defines = defines;
         serves = t.stealing_for;
         who = who t;
         say = (fun before f after -> who t before f ^ say before f after);
       })

let lock t (core : Code.expression) =
  let l = t.layout and value = core.value in
  let shown s f = value s f >= 0 in
  step t ~mover:Later ~locks:true ~uses:core.uses ~shown
    ~ready:(fun s f -> s.(Layout.lock l (value s f)) = 0)
    ~say:(fun s f _ -> Printf.sprintf "takes the lock of core %d" (value s f))
    (fun s f -> if shown s f then s.(Layout.lock l (value s f)) <- f)

let unlock t (core : Code.expression) =
  let l = t.layout and value = core.value in
  let shown s f = value s f >= 0 in
  (* A handler that steals never uses the arrived threads again. *)
  let hands_over = (not t.holds) && t.stealing_for = None in
  step t ~mover:Earlier ~hands_over ~uses:core.uses ~shown
    ~say:(fun s f _ ->
      Printf.sprintf "releases the lock of core %d" (value s f))
    (fun s f -> if shown s f then s.(Layout.lock l (value s f)) <- 0)

let while_ t test body =
  let start = Assembler.label () and stop = Assembler.label () in
  Assembler.place t.asm start;
  Assembler.emit t.asm (Branch { test = test (); otherwise = stop });
  body stop;
  Assembler.emit t.asm (Jump start);
  Assembler.place t.asm stop

let if_ t test yes no =
  let otherwise = Assembler.label () and stop = Assembler.label () in
  Assembler.emit t.asm (Branch { test; otherwise });
  yes ();
  Assembler.emit t.asm (Jump stop);
  Assembler.place t.asm otherwise;
  no ();
  Assembler.place t.asm stop
