include Core
module Fls = Fls
module Vproc = Vproc
module Attached = Attached
module Preemption = Preemption
module Ready_queue = Ready_queue
module Shared_queue = Shared_queue
module Round_robin = Round_robin
module Priority = Priority
module Deadline = Deadline
module Bounded = Bounded
module Gang = Gang
<<<<<<< HEAD
module Parray = Parray
=======
module Cml = Cml
>>>>>>> ec63b7d (Threads and channels under any scheduler; Sched.spawn puts a fiber where the scheduler of its surroundings takes it)
