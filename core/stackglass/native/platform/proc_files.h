/* Text files of /proc about this process and its threads.
 *
 * A read opens a descriptor for a moment, so it is called by threads with the engine's descriptor
 * table. */
#ifndef STACKGLASS_PLATFORM_PROC_FILES_H
#define STACKGLASS_PLATFORM_PROC_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read a file's first `room` - 1 bytes, NUL-ended. Returns their number; 0 = it cannot be read. */
size_t sg_proc_files_read(const char *path, char *text, size_t room);
/* Read a file of the thread's directory, such as "stat" or "comm", in the same way. */
size_t sg_proc_files_read_thread(pid_t tid, const char *name, char *text, size_t room);

/* Return the decimal number after `label`, as in "\nVmRSS:    8432 kB"; 0 = no such label. */
uint64_t sg_proc_files_number(const char *text, const char *label);

#endif
