#!/bin/sh
# build.sh OUT: makes libasmrun_hh.a in the folder OUT: our own objects, and the members
# of the user's own libasmrun.a that our objects do not replace.
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
ocaml=$(ocamlfind ocamlc -where)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ar x "$ocaml/libasmrun.a"
for member in domain minor_gc major_gc shared_heap memory gc_ctrl gc_stats finalise \
  weak memprof addrmap; do
  rm -f "$member.n.o"
done
# Stock's versions depend on stock's heaps; ours are in runtime/pins/barrier.c and
# runtime/gc_api/objects.c.
objcopy -W caml_array_fill -W caml_uniform_array_fill array.n.o
objcopy -W caml_atomic_make_contended alloc.n.o
objcopy -W caml_obj_is_shared obj.n.o
# fiber.c takes memory for stacks, and scans stacks, by runtime/tasks/stack.c.
objcopy --redefine-sym caml_stat_alloc_noexc=hh_fiber_alloc_noexc \
  --redefine-sym caml_stat_alloc=hh_fiber_alloc \
  --redefine-sym caml_stat_free=hh_fiber_free \
  --redefine-sym caml_scan_stack=hh_fiber_scan_stack fiber.n.o
objcopy --redefine-sym caml_minor_heaps_start=hh_young_start \
  --redefine-sym caml_minor_heaps_end=hh_young_end intern.n.o
# The lock of C's roots, for runtime/local/leaf.c, which looks at C's roots alone.
objcopy --redefine-sym roots_mutex=hh_roots_mutex globroots.n.o
objcopy --globalize-symbol=hh_roots_mutex globroots.n.o
# C's roots are registered, changed and removed by runtime/gc_api/roots.c.
objcopy --redefine-sym caml_register_generational_global_root=hh_register_root \
  --redefine-sym caml_modify_generational_global_root=hh_modify_root \
  --redefine-sym caml_remove_generational_global_root=hh_remove_root globroots.n.o
for c in "$here"/runtime/*/*.c; do
  "${CC:-gcc}" -std=gnu11 ${HH_CFLAGS:--O2 -g} \
    -Wall -Wextra -DNATIVE_CODE -DTARGET_amd64 -DMODEL_default \
    -DSYS_linux -I "$ocaml" -I "$here/runtime" -c "$c" -o "hh_$(basename "$c" .c).n.o"
done
ar rcs libasmrun_hh.a ./*.o
mv libasmrun_hh.a "$out/libasmrun_hh.a"
