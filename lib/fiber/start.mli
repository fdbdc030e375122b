(** Starting fibers. Internal. *)

open Types

val fiber :
  Dromos_kernel.Pool.context ->
  ?heap:Task_heap.t ->
  task:kernel_task ->
  scope:scope ->
  node:node ->
  fls:Hmap.t ->
  info:Info.t ->
  (fiber -> unit) ->
  unit
(** [fiber context ~task ~scope ~node ~fls ~info code], in a kernel task of the
    scope's run, runs [code] as a new fiber until the fiber ends or first
    suspends. [code] must not raise. [task] is the kernel task that runs, or a
    fresh task: the fiber's later tasks inherit [task]'s attributes and last
    worker. [heap] is the fiber's own heap. *)

val prepare :
  scope:scope ->
  ?node:node ->
  fls:Hmap.t ->
  pin:int ->
  info:Info.t ->
  ends:(unit -> unit) ->
  (fiber -> directive) ->
  handle
(** A new fiber of a scheduler, not started. The fiber's worker carries out the
    directive that the code returns, and the directives of an action that the
    code puts on the stack. After the first directive other than [Run] the fiber
    is over, and the worker calls [ends ()]. The code must not raise. Called by
    a fiber of the run. *)
