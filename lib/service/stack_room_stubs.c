/* The room that a stack has left: see stack_room.mli. */

#define CAML_INTERNALS
#define NATIVE_CODE
#include <caml/fiber.h>
#include <caml/gc_ctrl.h>
#include <caml/mlvalues.h>

/* [true]: a stack of [size] words, of which [used] are in use, has room for [words] more.
   The runtime doubles a stack that is smaller than the limit. */
static int fits(uintnat size, uintnat used, uintnat words)
{
  uintnat limit =
    atomic_load_explicit(&caml_max_stack_wsize, memory_order_relaxed);
  while (size < used + words) {
    if (size >= limit) return 0;
    size *= 2;
  }
  return 1;
}

static uintnat size_of(struct stack_info *stack)
{
  return Stack_high(stack) - Stack_base(stack);
}

/* Called without the stack pointer, as if the whole stack were in use. */
value dromos_stack_plenty(value words)
{
  uintnat size = size_of(Caml_state->current_stack);
  return Val_bool(fits(size, size, Long_val(words)));
}

value dromos_stack_fits(value words)
{
  struct stack_info *stack = Caml_state->current_stack;
  uintnat used = Stack_high(stack) - (value *)stack->sp;
  return Val_bool(fits(size_of(stack), used, Long_val(words)));
}
