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

enum { SG_STATUS_BYTES = 4096 };

/* Read the file "status" of a thread, 0 = the calling one, NUL-ended, each line cut to its first 64
 * bytes: the lists of groups and of processors have no limit, and the lines that are wanted come
 * behind them. Returns the number of bytes; 0 = it cannot be read, and errno says why. */
size_t sg_proc_files_read_status(pid_t tid, char text[SG_STATUS_BYTES]);

/* Return the decimal number after `label`, as in "\nVmRSS:    8432 kB"; 0 = no such label. */
uint64_t sg_proc_files_number(const char *text, const char *label);

#endif
