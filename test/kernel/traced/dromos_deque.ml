module Bounded = Kernel_traced_ground.Bounded
module Dynamic = Kernel_traced_ground.Dynamic
module Public = Kernel_traced_ground.Public
module Private_ = Kernel_traced_ground.Private_
module Dealing = Kernel_traced_ground.Dealing
