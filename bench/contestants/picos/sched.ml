open Picos

type config = { main : 'a. workers:int -> (unit -> 'a) -> 'a }

let variants =
  [
    ( "picos-multififo",
      "Picos_mux_multififo, a fiber and a computation for a fork",
      {
        main =
          (fun ~workers f -> Picos_mux_multififo.run_on ~n_domains:workers f);
      } );
    ( "picos-random",
      "Picos_mux_random, a fiber and a computation for a fork",
      {
        main = (fun ~workers f -> Picos_mux_random.run_on ~n_domains:workers f);
      } );
  ]

let parallel = true

(* The time of a run includes some 100 us for starting and ending the domains:
   these schedulers do both in [run]. *)
type pool = { config : config; workers : int }

let create config ~workers = { config; workers }
let close _ = ()

type ctx = int
(** The number of workers, for the default chunk. *)

let run pool f =
  pool.config.main ~workers:pool.workers (fun () -> f pool.workers)

type 'a promise = 'a Computation.t

let async ctx f =
  let computation = Computation.create ~mode:`LIFO () in
  let main _ =
    match f ctx with
    | result -> Computation.return computation result
    | exception exn ->
        Computation.cancel computation exn (Printexc.get_raw_backtrace ())
  in
  Fiber.spawn (Fiber.create ~forbid:false computation) main;
  computation

let await _ p = Computation.await p

let both ctx f g =
  let second = async ctx g in
  let a = f ctx in
  (a, await ctx second)

(* Picos has no loop: divide and conquer, as in the other contestants. *)
let for_ ctx ~chunk lo hi body =
  let chunk = if chunk = 0 then max 1 ((hi - lo) / (8 * ctx)) else chunk in
  let rec go ctx lo hi =
    if hi - lo <= chunk then
      for i = lo to hi - 1 do
        body i
      done
    else
      let mid = (lo + hi) / 2 in
      ignore (both ctx (fun ctx -> go ctx lo mid) (fun ctx -> go ctx mid hi))
  in
  go ctx lo hi

let map_chain = None
