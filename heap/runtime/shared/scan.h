/* Scanning private objects for a cycle, to find the shared objects that they hold.

   The driver and the stage ASYNC (cycle.c) call [hh_scan_private], and task_roots.c
   calls [hh_scan_leaf] for suspended tasks. The domain whose leaf is scanned waits
   meanwhile. A heap under scan has [scanned_by] set; its private objects are marked
   and traced to the end, and shared objects are shaded into [d->greys], for the
   marker. The scan must not move an object. */

#ifndef HH_SCAN_H
#define HH_SCAN_H


/* may call twice for a heap */
void hh_each_heap_of(domain *, void (*)(domain *, heap *));
void hh_scan_private(domain *), hh_scan_leaf(domain *by, heap *), hh_scan_common(domain *);

#endif
