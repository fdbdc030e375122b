/* Tracing: copying live objects out of the chunks under collection.

   leaf.c and global.c call [hh_trace_start], then [hh_forward] for each root, then
   [hh_trace]; after that [hh_dead] tells which objects are dead. Tracing never moves
   or scans a pinned object: a pinned object only points to pinned ones. */

#ifndef HH_TRACE_H
#define HH_TRACE_H

void hh_forward(void *domain, value, volatile value *);
void hh_trace_start(domain *, heap *to), hh_trace(domain *);

/* notes [v] if it lies in another leaf than [of] */
void hh_note(domain *, value, heap *of);

/* after tracing: 1 if unreachable; 0 after updating the pointer */
int hh_dead(volatile value *);
void hh_scan_domain(void *, domain *of, scanning_action);

/* The words before the first field are no OCaml values. Callers treat continuations and
   ephemerons separately. */
static inline mlsize_t hh_first_field(value v, header_t header) {
  return Tag_hd(header) == Closure_tag ? Start_env_closinfo(Closinfo_val(v)) : 0;
}
size_t hh_now_ns(void);

#endif
