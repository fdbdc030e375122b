module Queue = Kernel_traced_ground.Queue
module Waiters = Kernel_traced_ground.Waiters
module Ivar = Kernel_traced_ground.Ivar
module Erasable = Kernel_traced_ground.Erasable
