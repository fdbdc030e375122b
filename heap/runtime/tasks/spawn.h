/* Spawning domains.

   `Domain.spawn` calls [caml_domain_spawn]; a new task heap calls [hh_add_leaf]. The
   record [start], in C memory, must hold values in its two global roots alone. */

#ifndef HH_SPAWN_H
#define HH_SPAWN_H

void hh_add_leaf(domain *); /* the caller owns the first leaf */

#endif
