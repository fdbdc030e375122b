open Dromos_policy_core
open Dromos_policy_syntax

let name = "can_run"
let shape = "write `bool can_run(thread t, core c) { return ...; }`"

let observed (k : Core.key) =
  match k.by with
  | Core.By_cload | Core.By_count -> true
  | Core.Attribute a -> not a.system

(* The reason why the affinity may not ask for this expression: the expression
   is not the system's, or can change. *)
let wrong (policy : Core.policy) (e : Core.expression) =
  match e.it with
  | Core.Read (_, a) when a.is_lazy ->
      Some (Printf.sprintf "`%s`, which is computed when it is read" a.name)
  | Core.Read (None, a) when not (Loads.never_set policy a) ->
      Some (Printf.sprintf "`%s`, which changes" a.name)
  | Core.Read (Some _, a) when not (a.system || Loads.never_set policy a) ->
      Some (Printf.sprintf "`%s`, which the policy sets" a.name)
  | Core.Cload _ | Core.Runnable _ | Core.Count _ | Core.Threads_in _
  | Core.Idle_cores | Core.Active_cores ->
      Some "what runs or waits on a core"
  | Core.First (_, keys) when List.exists observed keys ->
      Some "what runs or waits on a core"
  | Core.Any _ -> Some "what is drawn by chance"
  | Core.Self -> Some "on which core the handler runs"
  | Core.Target -> Some "what the event is about"
  | _ -> None

let asks policy (f : Core.func) =
  let found = ref [] in
  Visits.block f.func_body ~statement:ignore ~expression:(fun e ->
      match wrong policy e with
      | Some what -> found := (e, what) :: !found
      | None -> ());
  List.rev_map
    (fun ((e : Core.expression), what) ->
      Fault.error e.at
        (Printf.sprintf "`%s` asks for %s" name what)
        ~hint:
          "it says where the system lets a thread run: read `system` \
           attributes of the thread and of the core only")
    !found

let check (policy : Core.policy) =
  let called (f : Core.func) =
    f.func_name = name
    && not
         (Array.exists
            (fun (a : Core.attribute) -> a.is_lazy && a.name = name)
            policy.attributes)
  in
  List.concat_map
    (fun (f : Core.func) ->
      match Query.affinity policy with
      | Some affinity when affinity == f ->
          if f.effects.updates || (f.effects.observes && asks policy f = [])
          then
            [
              Fault.error f.func_place
                (Printf.sprintf "`%s` sets something, or looks at other cores"
                   name)
                ~hint:"it only says whether a thread may run on a core";
            ]
          else asks policy f
      | _ ->
          [
            Fault.error f.func_place
              (Printf.sprintf
                 "`%s` is the affinity of a policy: it says whether a thread \
                  may run on a core"
                 name)
              ~hint:(shape ^ ", or give this function another name");
          ])
    (List.filter called (Array.to_list policy.functions))
