type 'place t = {
  place : 'place;
  mutex : Mutex.t;
  wake : Condition.t;
  thread : Thread.t;
  mutable called : bool;
}

let make place =
  {
    place;
    mutex = Mutex.create ();
    wake = Condition.create ();
    thread = Thread.self ();
    called = false;
  }

let place t = t.place
let thread t = t.thread

let wait t =
  Mutex.lock t.mutex;
  while not t.called do
    Condition.wait t.wake t.mutex
  done;
  t.called <- false;
  Mutex.unlock t.mutex

(* A signal under the mutex would wake the thread into a wait for the mutex. *)
let call t =
  Mutex.lock t.mutex;
  t.called <- true;
  Mutex.unlock t.mutex;
  Condition.signal t.wake
