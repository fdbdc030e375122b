/* Figures: the runtime's counters, for `Gc`, the library dromos-heap, runtime events,
   and the report at exit.

   All files count with [hh_count] in their domain's figures; [hh_total] adds up. Only
   the domain, or a holder of the domain's lock, writes the figures of a domain.

   Each domain counts without a lock and without atomic additions, and a reader adds
   the domains' figures up. A reader may miss what a running domain has done since its
   last new area or collection, and two figures may be of slightly different moments. */

#include "hh.h"
#include "gc_api/dromos_heap.h"
#include <caml/runtime_events.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

pauses hh_globals;
int hh_reporting;
static size_t began_ns;

void hh_note_pause(pauses *p, size_t took_ns, size_t felt_ns) {
  hh_count(p->count, 1);
  hh_count(p->ns, took_ns);
  if (felt_ns > p->longest_ns) hh_count(p->longest_ns, felt_ns - p->longest_ns);
}

/* {1 Adding up} */

static size_t at(int i, size_t offset) {
  return hh_read(*(size_t *)((char *)&hh_domains[i] + offset));
}

size_t hh_total_at(size_t offset) {
  size_t n = 0;
  for (int i = 0; i < hh_places; i++) n += at(i, offset);
  return n;
}

static size_t greatest_at(size_t offset) {
  size_t most = 0;
  for (int i = 0; i < hh_places; i++)
    if (at(i, offset) > most) most = at(i, offset);
  return most;
}

size_t hh_in_area(domain *d) {
  return (size_t)((char *)d->state->young_end - (char *)d->state->young_ptr);
}

static size_t lived_ns(void) {
  size_t n = hh_total(lived_ns), now = hh_now_ns();
  for (int i = 0; i < hh_places; i++)
    if (atomic_load(&hh_domains[i].in_use)) n += now - hh_read(hh_domains[i].began_ns);
  return n;
}

/* {1 Pins} */

static _Atomic size_t most_pinned;

/* Reads [unpinned] first: every unpinned byte was pinned earlier, so the difference is
   not negative. */
static size_t pinned_now(void) {
  size_t gone = hh_total(unpinned);
  return hh_total(pinned) - gone;
}

size_t hh_note_most_pinned(void) {
  size_t now = pinned_now(), most = atomic_load(&most_pinned);
  while (now > most && !atomic_compare_exchange_weak(&most_pinned, &most, now)) {}
  return now;
}

/* {1 The interface for C code} */

static dromos_heap_pauses copied(pauses *p) {
  return (dromos_heap_pauses){hh_read(p->count), hh_read(p->ns), hh_read(p->longest_ns)};
}

#define of_leaves(kind)                                                             \
  ((dromos_heap_pauses){hh_total(kind.count), hh_total(kind.ns),                    \
                        greatest_at(offsetof(domain, figures.kind.longest_ns))})

void dromos_heap_read(dromos_heap_figures *f) {
  size_t pinned = hh_note_most_pinned(), entangled = hh_total(entangled);
  *f = (dromos_heap_figures){
      .young = of_leaves(young), .full = of_leaves(full), .global = copied(&hh_globals),
      .scans = of_leaves(scans), .slices = of_leaves(slices),
      .lived_ns = lived_ns(),
      .allocated = hh_total(small) + (hh_self ? hh_in_area(hh_self) : 0) +
                   hh_total(large),
      .promoted = hh_total(promoted), .copied = hh_total(copied),
      .held = hh_held(), .most_held = hh_most_held(),
      .entangled = entangled, .publications = hh_total(publications),
      .handed = hh_total(pinned) - entangled,
      .pinned = pinned, .most_pinned = atomic_load(&most_pinned),
      .heaps = atomic_load(&hh_leaves) + 1, /* the shared heap */
      .splits = atomic_load(&hh_splits), .merges = atomic_load(&hh_merges),
      .cycles = hh_read(hh_cycles)};
}

/* {1 Runtime events}, after a collection. */

void hh_emit_counters(domain *d) {
  figures *f = &d->figures, *told = &d->told;
  CAML_EV_COUNTER(EV_C_MINOR_ALLOCATED, f->small - told->small);
  CAML_EV_COUNTER(EV_C_MINOR_PROMOTED, Wsize_bsize(f->promoted - told->promoted));
  CAML_EV_COUNTER(EV_C_MAJOR_HEAP_WORDS, Wsize_bsize(hh_bytes(d->leaf)));
  *told = *f;
}

/* {1 The report}. Among the lines are the columns of the paper's tables: time, most
   memory, bytes entangled, share of collections. */

static double seconds(uint64_t ns) { return (double)ns * 1e-9; }
static double mb(uint64_t bytes) { return (double)bytes * 1e-6; }

static double processor_seconds(const struct rusage *r) {
  struct timeval u = r->ru_utime, s = r->ru_stime;
  return (double)(u.tv_sec + s.tv_sec) + (double)(u.tv_usec + s.tv_usec) * 1e-6;
}

/* The remaining buffer and its size for snprintf, after n characters. */
#define REST n < (int)room ? to + n : NULL, n < (int)room ? room - (size_t)n : 0

static int report_pauses(char *to, size_t room, const char *which,
                         const dromos_heap_pauses *p, uint64_t lived_ns) {
  return snprintf(to, room,
                  "heap: %s %lu, together %.3f s (%.1f %%), longest %.3f ms\n",
                  which, (unsigned long)p->count, seconds(p->ns),
                  100. * (double)p->ns / (double)lived_ns, seconds(p->longest_ns) * 1e3);
}

int dromos_heap_report(char *to, size_t room) {
  dromos_heap_figures f;
  struct rusage r;
  dromos_heap_read(&f);
  getrusage(RUSAGE_SELF, &r);
  int n = snprintf(to, room,
                   "heap: ran %.3f s, domains together %.3f s, processors %.3f s\n"
                   "heap: allocated %.3f MB, promoted %.3f MB, copied %.3f MB\n"
                   "heap: held %.3f MB, at most %.3f MB; resident at most %.3f MB\n"
                   "heap: entangled %.3f MB by %lu publications, handed over %.3f MB\n"
                   "heap: pinned %.3f MB, at most %.3f MB\n",
                   seconds(hh_now_ns() - began_ns), seconds(f.lived_ns),
                   processor_seconds(&r), mb(f.allocated), mb(f.promoted), mb(f.copied),
                   mb(f.held), mb(f.most_held), (double)r.ru_maxrss * 1024e-6,
                   mb(f.entangled), (unsigned long)f.publications, mb(f.handed), mb(f.pinned),
                   mb(f.most_pinned));
  n += report_pauses(REST, "young collections", &f.young, f.lived_ns);
  n += report_pauses(REST, "full collections", &f.full, f.lived_ns);
  n += report_pauses(REST, "global collections", &f.global, f.lived_ns);
  n += snprintf(REST, "heap: concurrent cycles %lu\n", (unsigned long)f.cycles);
  n += report_pauses(REST, "  scans of leaves", &f.scans, f.lived_ns);
  n += report_pauses(REST, "  slices of marking", &f.slices, f.lived_ns);
  n += snprintf(REST, "heap: heaps %lu, splits %lu, merges %lu\n", (unsigned long)f.heaps,
                (unsigned long)f.splits, (unsigned long)f.merges);
  return n;
}

static void report_at_exit(void) {
  static char text[2048];
  if (!hh_reporting) return;
  dromos_heap_report(text, sizeof text);
  fputs(text, stderr);
}

void hh_init_figures(void) {
  began_ns = hh_now_ns();
  atexit(report_at_exit);
}
