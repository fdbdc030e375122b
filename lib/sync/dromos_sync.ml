(** Structures shared by tasks of every scheduler: Dromos, Lwt, Eio, other
    libraries, threads and domains. {{!page-sync} Structures shared by tasks}
    says which structure to choose. *)

(** {1 Results} *)

module Promise = Promise
module Ivar = Ivar
module Lazy = Lazy

(** {1 Messages} *)

module Channel = Channel
module Stream = Stream
module Broadcast = Broadcast
module Mvar = Mvar

(** {1 Locks and permits} *)

module Mutex = Mutex
module Condition = Condition
module Rwlock = Rwlock
module Semaphore = Semaphore
module Resource_pool = Resource_pool

(** {1 Meetings} *)

module Barrier = Barrier
module Latch = Latch

(** {1 Selects} *)

module Event = Event

(** {1 For authors} *)

module Author = Author
