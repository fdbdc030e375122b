/* Blocks without fields: a static block for each tag. */

#include "hh.h"

#define A(tag) Make_header(0, tag, NOT_MARKABLE)
static header_t atoms[256 + 1];

value caml_atom(tag_t tag) {
  return Val_hp(&atoms[tag]);
}

__attribute__((constructor)) static void make(void) {
  for (int tag = 0; tag < 256; tag++) atoms[tag] = A(tag);
}
