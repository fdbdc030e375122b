type 'a t = 'a Bench_core.Bounded_queue.t = {
  put : 'a -> unit;
  take : unit -> 'a;
}

let conditions = Bench_core.Bounded_queue.create

(* Readers wait only while there are no items, and writers only while the queue
   is full. A task that has to wait checks the queue again under the lock, in
   its suspension: an item or room may have come meanwhile. *)
let resumers capacity =
  let items = Queue.create () and mutex = Mutex.create () in
  let readers : 'a Dromos_suspend.resumer Queue.t = Queue.create () in
  let writers : ('a * unit Dromos_suspend.resumer) Queue.t = Queue.create () in
  let rec hand_over item =
    match Queue.take_opt readers with
    | None -> false
    | Some resume -> resume (Ok item) || hand_over item
  in
  let try_put item =
    hand_over item
    || Queue.length items < capacity
       && begin
            Queue.push item items;
            true
          end
  in
  let rec admit () =
    match Queue.take_opt writers with
    | None -> ()
    | Some (item, resume) ->
        if resume (Ok ()) then Queue.push item items else admit ()
  in
  let try_take () =
    match Queue.take_opt items with
    | None -> None
    | some ->
        admit ();
        some
  in
  let locked f =
    Mutex.lock mutex;
    let result = f () in
    Mutex.unlock mutex;
    result
  in
  let put item =
    if not (locked (fun () -> try_put item)) then
      Dromos_suspend.suspend (fun resume ->
          locked (fun () ->
              if try_put item then Some ()
              else begin
                Queue.push (item, resume) writers;
                None
              end))
  in
  let take () =
    match locked try_take with
    | Some item -> item
    | None ->
        Dromos_suspend.suspend (fun resume ->
            locked (fun () ->
                match try_take () with
                | Some _ as some -> some
                | None ->
                    Queue.push resume readers;
                    None))
  in
  { put; take }
