/* Roots in the records of tasks (task.c), and the scanning and sweeping of heaps that
   no domain runs.

   Collections call the first half, cycles the second. No function here enters a task's
   heap. */

#ifndef HH_TASK_ROOTS_H
#define HH_TASK_ROOTS_H

heap *hh_heap_of_task(size_t i); /* [i] < [hh_tasks]; NULL: task i has no heap */
size_t hh_tasks(void); /* the number of task records ever made */
void hh_scan_task(domain *, heap *, scanning_action);

/* the cell, the kept values and the token of the heap's task */
void hh_scan_kept_of(heap *, scanning_action, void *);

/* cells of running tasks, before the leaf changes */
void hh_scan_running(domain *, scanning_action);

/* [homeless]: only branches that have no home heap */
void hh_scan_offers(scanning_action, void *, int homeless);

/* for global.c: branches with a home heap */
void hh_trace_offers(domain *), hh_note_offers(domain *);

/* the pin depth of the first heap's objects if [by] reaches them */
int hh_depth_for(heap *, heap *by);

/* values that its tasks' records keep */
void hh_scan_entered(domain *, scanning_action, void *);

/* the heap of entered task i; NULL if suspended */
heap *hh_heap_entered(domain *, size_t i);

/* 1 if the task proved resumable just now */
int hh_scan_resumable(domain *, heap *, scanning_action);
void hh_forget_lost(heap *);
void hh_process_weak_suspended(domain *);
heap *hh_heap_suspended(size_t i);
void hh_scan_suspended(domain *); /* suspended tasks' heaps that no domain has scanned */
void hh_sweep_suspended(void);
void hh_take_suspended_todo(domain *); /* from heaps without a running task */

#endif
