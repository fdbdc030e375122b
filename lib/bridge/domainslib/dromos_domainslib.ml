(* Only Domainslib's own tasks may fill its promises. But each of its domains
   provides [Domain_local_await], and any thread may call [release]. *)

module Task = Domainslib.Task

let wait block =
  let { Domain_local_await.release; await } =
    Domain_local_await.prepare_for_await ()
  in
  Dromos_bridge.until_woken block ~wake:release ~await:(fun () ->
      await ();
      None)

(* Domainslib has no cancellation to put off. *)
let shield f = f ()
let wrap f = Dromos_bridge.wrap { wait; shield } f
let run pool f = Task.run pool (fun () -> wrap f)
let async pool f = Task.async pool (fun () -> wrap f)

(* {1 Both ways} *)

let crossing =
  Dromos_crossing.make ~name:"domainslib"
    ~inside:"Dromos_domainslib.in_domainslib"
    ~outside:"Dromos_domainslib.offload and Dromos_domainslib.with_loop"

(* A task of Domainslib cannot be cancelled. *)
let task pool { Dromos_crossing.run; _ } =
  let (_ : unit Task.promise) = async pool run in
  ignore

let host pool = { Dromos_crossing.wrap; shield; fork = task pool; leave = None }

let offload tasks ?pool f =
  Dromos_crossing.offload crossing (host tasks) ?pool f

let in_domainslib f = Dromos_crossing.within_host crossing f

let with_loop run f =
  let pool = ref None in
  let loop served =
    run (fun found ->
        pool := Some found;
        served (host found))
  in
  Dromos_crossing.serving crossing ~loop (fun () -> f (Option.get !pool))

let default_pool () = Dromos_crossing.default_pool crossing
