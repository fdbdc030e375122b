include Core
module Fls = Fls
module Vproc = Vproc
module Attached = Attached
module Preemption = Preemption
module Ready_queue = Ready_queue
module Shared_queue = Shared_queue
module Round_robin = Round_robin
module Load_balancing = Load_balancing
module Priority = Priority
module Deadline = Deadline
module Bounded = Bounded
module Gang = Gang
module Stealing = Stealing
module Parray = Parray
module Cml = Cml
module Engine = Engine
module Proportional = Proportional
