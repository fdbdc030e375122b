/* The data that the loader fills in before a policy is loaded. */

#ifndef DROMOS_LOADER_H
#define DROMOS_LOADER_H

#include <stddef.h>

/* [value] is the initial content of the map .data.topology, of [size] bytes, from the
   object file. The function changes it in place. */
void fill_topology(void *value, size_t size);

#endif
