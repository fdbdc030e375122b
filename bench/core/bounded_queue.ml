type 'a t = { put : 'a -> unit; take : unit -> 'a }

let create capacity =
  let items = Queue.create () and mutex = Mutex.create () in
  let not_full = Condition.create () and not_empty = Condition.create () in
  let put item =
    Mutex.lock mutex;
    while Queue.length items >= capacity do
      Condition.wait not_full mutex
    done;
    Queue.push item items;
    Condition.signal not_empty;
    Mutex.unlock mutex
  in
  let take () =
    Mutex.lock mutex;
    while Queue.is_empty items do
      Condition.wait not_empty mutex
    done;
    let item = Queue.pop items in
    Condition.signal not_full;
    Mutex.unlock mutex;
    item
  in
  { put; take }
