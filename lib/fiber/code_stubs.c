/* The function that a frame of a callstack belongs to, by the symbol of the code. Poll
   points have no debugging information, and the frame of an interrupted function is at
   a poll point. OCaml's executables export the symbols of their functions. */

#define CAML_INTERNALS
#include "platform.h"
#include <caml/alloc.h>
#include <caml/backtrace_prim.h>
#include <caml/frame_descriptors.h>

#if DROMOS_DLADDR

#include <dlfcn.h>

#ifndef Retaddr_frame
#define Retaddr_frame(d) ((d)->retaddr)
#endif

/* A slot with this bit is debugging information itself. */
#define IS_DEBUGINFO 2

value dromos_frame_symbol(value slot)
{
  uintnat raw = (uintnat)Backtrace_slot_val(slot);
  Dl_info found;
  if ((raw & IS_DEBUGINFO) == 0) {
    frame_descr *frame = (frame_descr *)raw;
    if (dladdr((void *)Retaddr_frame(frame), &found) != 0
        && found.dli_sname != NULL)
      return caml_copy_string(found.dli_sname);
  }
  return caml_copy_string("");
}

#else

value dromos_frame_symbol(value slot)
{
  (void)slot;
  return caml_copy_string("");
}

#endif
