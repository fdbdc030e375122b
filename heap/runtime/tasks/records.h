/* Records of tasks: the part that all files see. The files of task_record.h share the
   record itself.

   The records lie in chunks of a heap of their own ([hh_cells]), so the address of a
   field tells that the field is a task's cell. Records are reused, never freed. The
   scheduler names a task by the index of its record and the record's turn, which counts
   the uses of the record: a name with an earlier turn is that of an ended task.

   bulk_pin.c and task.c call [hh_disorder_all]. */

#ifndef HH_RECORDS_H
#define HH_RECORDS_H

extern heap hh_cells; /* owns the chunks in which tasks' private roots lie */
void hh_disorder_all(heap *); /* stops expiry in the heap and all above */

#endif
