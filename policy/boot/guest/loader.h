/* What the loader fills in before a policy is loaded. */

#ifndef DROMOS_LOADER_H
#define DROMOS_LOADER_H

#include <stddef.h>

/* [value] is the content that the map .data.topology will have, of [size] bytes; it
   holds what the object file says, and is changed in place. */
void fill_topology(void *value, size_t size);

#endif
