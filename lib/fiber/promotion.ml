open Types
module Pool = Dromos_kernel.Pool

let to_worker run task = Publish.task run New task

(* Publishes a branch because a worker is idle. *)
let to_all run task = Publish.to_all run New task

let publish_frame give fiber { Latent.frame = Frame fork; env; _ } =
  let worker = fiber.worker in
  match fork.cell with
  | Latent | Owned _ | Border _ -> ()
  | Promoted join -> (
      worker.promotions <- worker.promotions + 1;
      match join.owned with
      | None -> Branch.publish give fiber env join
      | Some { publish; of_first = split; _ } ->
          publish worker
            {
              claim = (fun () -> Join.claim join.state);
              run_in = env;
              own_node = join.branch;
              split;
              go_branch = Branch.code env join;
            })

let publish ?still give fiber candidates =
  let publish_one candidate =
    if Latent.mark ?still fiber candidate.Latent.frame then
      publish_frame give fiber candidate
  in
  List.iter publish_one candidates

(* [true]: the calling thread may publish frames of the fiber. If the heaps of tasks
   keep frames private, the thread may publish only frames of its current fiber. *)
let may_publish fiber = (not Task_heap.keeps_frames) || Local.fiber () == fiber

let share fiber =
  if may_publish fiber then
    publish to_all fiber (Latent.oldest fiber fiber.frames.top)

(* Every poll looks, since the poll may be the fiber's last before a long
   computation, and an idle worker may have looked for frames already. The fiber
   publishes nothing more while a published task waits for a taker: a fiber that
   yields in each of its branches would multiply without bound. The takers may
   be missing: a worker that left may have overlooked tasks that a hub keeps
   private. The fiber therefore asks for a worker. *)
let oldest fiber =
  let { local; run; _ } = fiber.worker
  and context = Worker.kernel fiber.worker in
  if Hub_door.enter local then begin
    Pool.tick context;
    Hub_door.leave local
  end;
  if Pool.has_work context then Publish.ask_for_workers run else share fiber

(* More than 100 latent frames occur in a recursion rather than in a loop, and a
   recursion links new frames all the time. *)
let near fiber =
  if may_publish fiber && Latent.are_few fiber then
    publish to_all fiber (Latent.all fiber)
  else share fiber

let all fiber = publish to_worker fiber (Latent.all fiber)

let before_yield fiber =
  let { top } = fiber.frames in
  if Latent.has_owned top then all fiber
  else if Yields.are_many fiber && not (Frame.is_nil top) then
    publish to_worker fiber (Latent.oldest fiber top)

let offers ~still fiber =
  let offers = ref [] in
  let give run task = offers := (fun () -> to_all run task) :: !offers in
  publish ~still give fiber (Latent.oldest fiber (snd still));
  List.rev !offers
