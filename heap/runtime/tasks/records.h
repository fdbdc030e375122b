/* Records of tasks.

   task.c calls [hh_new_task] and [hh_let_go_of_task], and joins out of order call the
   rest. The records lie in chunks of a heap of their own, so the address of a field
   tells that the field is a task's cell. A record is used again, never freed. The turn
   of a record tells its uses apart: a name with an earlier turn is recognised as old. */

#ifndef HH_RECORDS_H
#define HH_RECORDS_H

extern heap hh_cells; /* owns the chunks in which tasks' private roots lie */
void hh_disorder_all(heap *); /* stops expiry in the heap and all above */

#endif
