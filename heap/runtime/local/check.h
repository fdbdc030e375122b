/* The heap verifier: walks the objects that a domain can see after a collection, and
   stops the program where an invariant of README.md is broken.

   Collections call [hh_check] and [hh_check_other]. The verifier runs with
   DROMOS_HEAP=c; the tests run with tiny heaps under it. The verifier changes no heap. */

#ifndef HH_CHECK_H
#define HH_CHECK_H

extern int hh_checking;
void hh_check_other(domain *, heap *); /* checks a heap in which no domain runs */

/* does nothing unless [hh_checking] */
void hh_check(domain *, const char *after, int all);

#endif
