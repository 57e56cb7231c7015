/* Resident memory of the process: two lines of its status. */
#include "platform/process_memory.h"

#include "platform/proc_files.h"

static const uint64_t KIB = 1024;

static struct sg_process_memory read_status(void) {
    char text[SG_STATUS_BYTES];
    sg_proc_files_read_status(0, text);
    return (struct sg_process_memory){
        .now_bytes = sg_proc_files_number(text, "\nVmRSS:") * KIB,
        .most_bytes = sg_proc_files_number(text, "\nVmHWM:") * KIB,
    };
}

uint64_t sg_process_memory_resident_bytes(void) { return read_status().now_bytes; }

struct sg_process_memory sg_process_memory_account(uint64_t before_attach_bytes,
                                                   uint64_t in_use_bytes) {
    struct sg_process_memory resident = read_status();
    if (before_attach_bytes && resident.now_bytes)
        resident.unaccounted_bytes =
            (int64_t)(resident.now_bytes - before_attach_bytes - in_use_bytes);
    return resident;
}
