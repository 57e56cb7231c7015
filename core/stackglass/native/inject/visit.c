/* What a visit changes in the target, and undoes in the opposite order:
 *
 *     save the thread, block signals ─▶ mmap ─▶ keep errno ─▶ dlopen ─▶ dlsym ─▶ enter
 *     give signals back ◀─ restore the thread ◀─ munmap ◀─ put errno back ◀────────┘
 *                                            ignore signals ◀┘
 *
 *     mapping   │ texts, 64 KiB: paths, arguments ─▶ │            ◀─ stack │
 *
 * Before all this, the process must still have the program that the request is for: it may have
 * executed another one since its map was read.
 *
 * A step that fails stores the reason (sg_visit_finish). The steps before it are undone
 * nonetheless, unless the target has ended. */
#include "inject/visit.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/dispositions.h"
#include "inject/machines.h"
#include "inject/remote_call.h"
#include "inject/sent_signals.h"

enum {
    STACK_SIZE = 256 * 1024, /* of the mapping */
    TEXT_SIZE = 64 * 1024,   /* at the lower end of the mapping: paths and arguments */
};

int sg_visit_finish(struct sg_visit *visit, enum sg_injection_status status, int error,
                    const char *text) {
    visit->result->error = error;
    if (text != NULL) {
        snprintf(visit->result->text, sizeof visit->result->text, "%s", text);
    }
    return status;
}

/* Copy bytes into the mapping. Returns their address; 0 = that failed, and errno says why. */
static uint64_t put_text(struct sg_visit *visit, const void *bytes, size_t size) {
    uint64_t address = visit->text;
    if (address + size > visit->mapping + TEXT_SIZE) {
        errno = ENAMETOOLONG;
        return 0;
    }
    if (sg_tracee_write_memory(visit->injection->pid, address, bytes, size) != 0) {
        return 0;
    }
    visit->text = (address + size + 15) & ~UINT64_C(15);
    return address;
}

static enum sg_ran call(struct sg_visit *visit, uint64_t function, uint64_t first, uint64_t second,
                        uint64_t *result) {
    const uint64_t arguments[] = {first, second};
    return sg_remote_call_run(visit->injection->pid, visit->thread, &visit->saved,
                              visit->mapping + STACK_SIZE, function, arguments, 2, result);
}

static int ran_badly(struct sg_visit *visit, enum sg_ran ran, const char *where) {
    if (ran == SG_RAN_GONE) {
        return sg_visit_finish(visit, SG_INJECT_GONE, visit->saved.end_signal, NULL);
    }
    if (ran == SG_RAN_FAULT) {
        return sg_visit_finish(visit, SG_INJECT_FAULT, 0, where);
    }
    return sg_visit_finish(visit, SG_INJECT_SYSTEM, errno, where);
}

static enum sg_ran open_library(struct sg_visit *visit, const char *path, int flags,
                                uint64_t *handle) {
    uint64_t address = put_text(visit, path, strlen(path) + 1);
    if (address == 0) {
        return SG_RAN_ERROR;
    }
    return call(visit, visit->injection->dlopen, address, (uint64_t)flags, handle);
}

static enum sg_ran read_loader_error(struct sg_visit *visit, char *text, size_t size) {
    uint64_t address = 0;
    enum sg_ran ran = call(visit, visit->injection->dlerror, 0, 0, &address);
    text[0] = '\0';
    if (ran != SG_RAN || address == 0) {
        return ran;
    }
    /* Read byte by byte: the string may end just before a page that cannot be read. */
    size_t n = 0;
    while (n + 1 < size &&
           sg_tracee_read_memory(visit->injection->pid, address + n, &text[n], 1) == 0 &&
           text[n] != '\0') {
        n++;
    }
    text[n] = '\0';
    return SG_RAN;
}

static bool misses_python(const char *text) {
    return strstr(text, "undefined symbol: Py") != NULL ||
           strstr(text, "undefined symbol: _Py") != NULL;
}

static int load_and_enter(struct sg_visit *visit) {
    const struct sg_injection *injection = visit->injection;
    char *text = visit->result->text;
    uint64_t handle = 0;
    enum sg_ran ran = open_library(visit, injection->library, RTLD_NOW, &handle);
    if (ran == SG_RAN && handle == 0) {
        ran = read_loader_error(visit, text, sizeof visit->result->text);
        if (ran == SG_RAN && injection->libpython != NULL && misses_python(text)) {
            /* The program has loaded libpython without RTLD_GLOBAL: make its symbols global. */
            uint64_t python = 0;
            int flags = RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL;
            ran = open_library(visit, injection->libpython, flags, &python);
            if (ran == SG_RAN && python != 0) {
                ran = open_library(visit, injection->library, RTLD_NOW, &handle);
                if (ran == SG_RAN && handle == 0) {
                    ran = read_loader_error(visit, text, sizeof visit->result->text);
                }
            }
        }
    }
    if (ran != SG_RAN) {
        return ran_badly(visit, ran, "dlopen");
    }
    if (handle == 0) {
        return sg_visit_finish(visit, SG_INJECT_LOADER, 0, NULL);
    }
    uint64_t symbol = put_text(visit, injection->symbol, strlen(injection->symbol) + 1);
    uint64_t entry = 0;
    ran = symbol == 0 ? SG_RAN_ERROR : call(visit, injection->dlsym, handle, symbol, &entry);
    if (ran != SG_RAN) {
        return ran_badly(visit, ran, "dlsym");
    }
    if (entry == 0) {
        return sg_visit_finish(visit, SG_INJECT_LOADER, 0, "the library has no such entry");
    }
    uint64_t arguments = put_text(visit, injection->arguments, injection->arguments_size);
    uint64_t value = 0;
    ran = arguments == 0 ? SG_RAN_ERROR
                         : call(visit, entry, arguments, injection->arguments_size, &value);
    if (ran != SG_RAN) {
        return ran_badly(visit, ran, injection->symbol);
    }
    visit->result->value = (int32_t)value; /* the entry returns an int */
    text[0] = '\0';
    return sg_visit_finish(visit, SG_INJECT_DONE, 0, NULL);
}

/* Load and enter with errno kept: the thread may be between a failed call and its read of errno. */
static int with_errno_kept(struct sg_visit *visit) {
    uint64_t address = 0;
    int kept = 0;
    enum sg_ran ran = call(visit, visit->injection->errno_location, 0, 0, &address);
    if (ran != SG_RAN) {
        return ran_badly(visit, ran, "errno");
    }
    pid_t pid = visit->injection->pid;
    if (sg_tracee_read_memory(pid, address, &kept, sizeof kept) != 0) {
        return sg_visit_finish(visit, SG_INJECT_SYSTEM, errno, "errno");
    }
    int status = load_and_enter(visit);
    if (sg_tracee_write_memory(pid, address, &kept, sizeof kept) != 0 && status == SG_INJECT_DONE) {
        return sg_visit_finish(visit, SG_INJECT_SYSTEM, errno, "errno");
    }
    return status;
}

/* Another thread may be setting the process's user. It waits until this thread has done so, and
 * holds the lock that the start of a thread needs. So the signal for that is let through, but not
 * in a single step, which would end in its handler. */
static int with_setxid_open(struct sg_visit *visit) {
    if (sg_tracee_block_signals(visit->thread, &visit->saved, true) != 0) {
        return sg_visit_finish(visit, SG_INJECT_SYSTEM, errno, "blocking signals");
    }
    int status = with_errno_kept(visit);
    if (status != SG_INJECT_GONE &&
        sg_tracee_block_signals(visit->thread, &visit->saved, false) != 0) {
        return sg_visit_finish(visit, SG_INJECT_GONE, 0, NULL);
    }
    return status;
}

/* Make a system call of the target, without a signal at its end if the target ignores one. */
static enum sg_ran run_system_call(struct sg_visit *visit, long number, const uint64_t *arguments,
                                   int64_t *result) {
    const struct sg_injection *injection = visit->injection;
    bool has_ignored = sg_dispositions_has_ignored(injection);
    return (has_ignored ? sg_remote_call_run_quiet_system_call : sg_remote_call_run_system_call)(
        visit->thread, &visit->saved, injection->system_call, number, arguments, result);
}

/* Undo the mapping, and before it what the ends of the calls have done to ignored signals. */
static void unmap(struct sg_visit *visit) {
    const struct sg_injection *injection = visit->injection;
    const uint64_t arguments[SG_ARGUMENTS_MAX] = {visit->mapping, STACK_SIZE};
    int64_t ignored = 0; /* a mapping that cannot be unmapped stays, and is harmless */
    if (sg_dispositions_has_ignored(injection)) {
        sg_dispositions_restore(injection, visit->thread, &visit->saved, visit->mapping);
    }
    run_system_call(visit, sg_machines_here->munmap, arguments, &ignored);
}

static int with_stack(struct sg_visit *visit) {
    const uint64_t map[SG_ARGUMENTS_MAX] = {
        0, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0};
    int64_t mapping = 0;
    enum sg_ran ran = run_system_call(visit, sg_machines_here->mmap, map, &mapping);
    if (ran != SG_RAN) {
        return ran_badly(visit, ran, "mmap");
    }
    if (mapping < 0 && mapping > -4096) { /* the kernel returns an errno as -4095 … -1 */
        return sg_visit_finish(visit, SG_INJECT_SYSTEM, (int)-mapping, "mmap");
    }
    visit->mapping = visit->text = (uint64_t)mapping;
    int status = with_setxid_open(visit);
    if (status != SG_INJECT_GONE) {
        unmap(visit);
    }
    return status;
}

/* Look for the system call instruction at its address. Returns SG_INJECT_DONE if it is there. */
static int find_program(struct sg_visit *visit) {
    const struct sg_machine *machine = sg_machines_here;
    uint8_t code[sizeof machine->system_call_instruction] = {0};
    size_t size = machine->system_call_instruction_size;
    uint64_t address = visit->injection->system_call;
    if (sg_tracee_read_memory(visit->injection->pid, address, code, size) != 0 && errno != EFAULT) {
        return sg_visit_finish(visit, SG_INJECT_SYSTEM, errno, "process_vm_readv");
    }
    bool is_there = memcmp(code, machine->system_call_instruction, size) == 0;
    return is_there ? SG_INJECT_DONE : sg_visit_finish(visit, SG_INJECT_REPLACED, 0, NULL);
}

int sg_visit_run(struct sg_visit *visit) {
    int found = find_program(visit);
    if (found != SG_INJECT_DONE) {
        return found;
    }
    if (sg_tracee_save_thread(visit->thread, &visit->saved) != 0) {
        return sg_visit_finish(visit, SG_INJECT_SYSTEM, errno, "saving the registers");
    }
    if (sg_tracee_block_signals(visit->thread, &visit->saved, false) != 0) {
        return sg_visit_finish(visit, SG_INJECT_SYSTEM, errno, "blocking signals");
    }
    int status = with_stack(visit);
    if (status == SG_INJECT_GONE) {
        return status;
    }
    if (sg_tracee_restore_thread(visit->thread, &visit->saved) != 0) {
        return sg_visit_finish(visit, SG_INJECT_GONE, 0, NULL);
    }
    sg_sent_signals_give_back(visit->injection->pid, visit->thread, &visit->saved);
    return status;
}
