/* Scanning private objects for a cycle, to find the shared objects that they hold.

   cycle.c calls [hh_scan_private] and [hh_scan_common]; task_roots.c calls
   [hh_scan_leaf] for suspended tasks, and [hh_scan_private] before a domain enters a
   scanned heap; the verifier calls all three. No code of the program runs in a heap
   under scan: the domain scans the heap itself, or is blocked. A heap under scan has
   [scanned_by] set; its private objects are marked and traced to the end, and shared
   objects are shaded into [d->greys], for the marker. The scan must not move an
   object. */

#ifndef HH_SCAN_H
#define HH_SCAN_H


/* calls the function for each heap of the domain, for some heaps twice */
void hh_each_heap_of(domain *, void (*)(domain *, heap *));
void hh_scan_private(domain *), hh_scan_leaf(domain *by, heap *), hh_scan_common(domain *);

#endif
