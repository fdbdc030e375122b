/* The start of the runtime, and the settings from the environment. Stock's startup
   calls [caml_init_gc]; no heap may be used before. */

#ifndef HH_START_H
#define HH_START_H

int hh_processors(void);

#endif
