/* The steps of an injection: find a thread that may be used, then load and call in it. */
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "inject_tracee.h"

enum {
    STACK_SIZE = 256 * 1024,
    TEXT_SIZE = 64 * 1024, /* at the lower end of the same mapping: paths and arguments */
    STOP_TIMEOUT_NS = 50 * 1000 * 1000,
    SHORTEST_NAP_NS = 50 * 1000,
    LONGEST_NAP_NS = 500 * 1000,
    TRIES_A_TURN = 8,      /* before another thread is tried */
    HANDLER_PATIENCE = 12, /* stops; see may_be_in_handler */
};

struct session {
    const struct sg_injection *injection;
    struct sg_injection_result *result;
    struct sg_saved saved;
    pid_t thread;
    uint64_t mapping; /* in the target; 0 = none */
    uint64_t text;    /* next free byte of the text area */
};

static int finish(struct session *session, enum sg_injection_status status, int error,
                  const char *text) {
    session->result->error = error;
    if (text != NULL) {
        snprintf(session->result->text, sizeof session->result->text, "%s", text);
    }
    return status;
}

/* A handler may have interrupted malloc and would then stand outside the C library with the lock
 * held below it. While it runs, its own signal is blocked: a thread that blocks a signal which has
 * a handler is let go for a while. Handlers last microseconds; who blocks it for longer is in
 * none. */
static bool may_be_in_handler(const struct session *session) {
    uint64_t blocked = 0;
    if (sg_get_blocked_signals(session->thread, &blocked) != 0) {
        return true;
    }
    return (blocked & session->injection->caught_signals) != 0 &&
           session->result->n_refusals < HANDLER_PATIENCE;
}

static bool is_fit(struct session *session) {
    const struct sg_machine *machine = sg_machine_here;
    uint8_t registers[SG_REGISTERS_MAX];
    if (sg_get_registers(session->thread, registers) != 0) {
        return false;
    }
    uint64_t at = sg_register(registers, machine->program_counter);
    size_t size = machine->system_call_instruction_size;
    uint8_t code[2 * sizeof machine->system_call_instruction] = {0};
    if (sg_read_memory(session->injection->pid, at - size, code, 2 * size) != 0) {
        /* The next byte may be on a page that cannot be read. */
        sg_read_memory(session->injection->pid, at - size, code, size);
    }
    return sg_may_inject(machine, registers, code, session->injection->ranges,
                         session->injection->n_ranges) &&
           !may_be_in_handler(session);
}

/* ---- inside the target ---- */

static uint64_t put_text(struct session *session, const void *bytes, size_t size) {
    uint64_t address = session->text;
    if (address + size > session->mapping + TEXT_SIZE ||
        sg_write_memory(session->injection->pid, address, bytes, size) != 0) {
        return 0;
    }
    session->text = (address + size + 15) & ~UINT64_C(15);
    return address;
}

static enum sg_ran call(struct session *session, uint64_t function, uint64_t first, uint64_t second,
                        uint64_t *result) {
    const uint64_t arguments[] = {first, second};
    return sg_run_call(session->injection->pid, session->thread, &session->saved,
                       session->mapping + STACK_SIZE, function, arguments, 2, result);
}

static int ran_badly(struct session *session, enum sg_ran ran, const char *where) {
    if (ran == SG_RAN_GONE) {
        return finish(session, SG_INJECT_GONE, 0, NULL);
    }
    if (ran == SG_RAN_FAULT) {
        return finish(session, SG_INJECT_FAULT, 0, where);
    }
    return finish(session, SG_INJECT_SYSTEM, errno, where);
}

static enum sg_ran open_library(struct session *session, const char *path, int flags,
                                uint64_t *handle) {
    uint64_t address = put_text(session, path, strlen(path) + 1);
    if (address == 0) {
        errno = ENAMETOOLONG;
        return SG_RAN_ERROR;
    }
    return call(session, session->injection->dlopen, address, (uint64_t)flags, handle);
}

static enum sg_ran read_loader_error(struct session *session, char *text, size_t size) {
    uint64_t address = 0;
    enum sg_ran ran = call(session, session->injection->dlerror, 0, 0, &address);
    text[0] = '\0';
    if (ran != SG_RAN || address == 0) {
        return ran;
    }
    /* Byte by byte: the string may end just before a page that cannot be read. */
    size_t n = 0;
    while (n + 1 < size && sg_read_memory(session->injection->pid, address + n, &text[n], 1) == 0 &&
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

static int load_and_enter(struct session *session) {
    const struct sg_injection *injection = session->injection;
    char *text = session->result->text;
    uint64_t handle = 0;
    enum sg_ran ran = open_library(session, injection->library, RTLD_NOW, &handle);
    if (ran == SG_RAN && handle == 0) {
        ran = read_loader_error(session, text, sizeof session->result->text);
        if (ran == SG_RAN && injection->libpython != NULL && misses_python(text)) {
            /* Python was itself loaded as a private library: make its symbols global. */
            uint64_t python = 0;
            int flags = RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL;
            ran = open_library(session, injection->libpython, flags, &python);
            if (ran == SG_RAN && python != 0) {
                ran = open_library(session, injection->library, RTLD_NOW, &handle);
                if (ran == SG_RAN && handle == 0) {
                    ran = read_loader_error(session, text, sizeof session->result->text);
                }
            }
        }
    }
    if (ran != SG_RAN) {
        return ran_badly(session, ran, "dlopen");
    }
    if (handle == 0) {
        return finish(session, SG_INJECT_LOADER, 0, NULL);
    }
    uint64_t symbol = put_text(session, injection->symbol, strlen(injection->symbol) + 1);
    uint64_t entry = 0;
    ran = symbol == 0 ? SG_RAN_ERROR : call(session, injection->dlsym, handle, symbol, &entry);
    if (ran != SG_RAN) {
        return ran_badly(session, ran, "dlsym");
    }
    if (entry == 0) {
        return finish(session, SG_INJECT_LOADER, 0, "the library has no such entry");
    }
    uint64_t arguments = put_text(session, injection->arguments, injection->arguments_size);
    uint64_t value = 0;
    ran = arguments == 0 ? SG_RAN_ERROR
                         : call(session, entry, arguments, injection->arguments_size, &value);
    if (ran != SG_RAN) {
        return ran_badly(session, ran, injection->symbol);
    }
    session->result->value = (int32_t)value; /* the entry returns an int */
    text[0] = '\0';
    return finish(session, SG_INJECT_DONE, 0, NULL);
}

/* The thread may stand between a failed call and its look at errno. */
static int with_errno_kept(struct session *session) {
    uint64_t address = 0;
    int kept = 0;
    enum sg_ran ran = call(session, session->injection->errno_location, 0, 0, &address);
    if (ran != SG_RAN) {
        return ran_badly(session, ran, "errno");
    }
    pid_t pid = session->injection->pid;
    if (sg_read_memory(pid, address, &kept, sizeof kept) != 0) {
        return finish(session, SG_INJECT_SYSTEM, errno, "errno");
    }
    int status = load_and_enter(session);
    if (sg_write_memory(pid, address, &kept, sizeof kept) != 0 && status == SG_INJECT_DONE) {
        return finish(session, SG_INJECT_GONE, 0, NULL);
    }
    return status;
}

static int with_stack(struct session *session) {
    const struct sg_injection *injection = session->injection;
    const uint64_t map[SG_ARGUMENTS_MAX] = {
        0, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0};
    int64_t mapping = 0;
    enum sg_ran ran = sg_run_system_call(session->thread, &session->saved, injection->system_call,
                                         sg_machine_here->mmap, map, &mapping);
    if (ran != SG_RAN) {
        return ran_badly(session, ran, "mmap");
    }
    if (mapping < 0 && mapping > -4096) {
        return finish(session, SG_INJECT_SYSTEM, (int)-mapping, "mmap");
    }
    session->mapping = session->text = (uint64_t)mapping;
    int status = with_errno_kept(session);
    if (status != SG_INJECT_GONE) {
        const uint64_t unmap[SG_ARGUMENTS_MAX] = {session->mapping, STACK_SIZE};
        int64_t ignored = 0; /* what cannot be unmapped is left: it hurts nobody */
        sg_run_system_call(session->thread, &session->saved, injection->system_call,
                           sg_machine_here->munmap, unmap, &ignored);
    }
    return status;
}

/* ---- the stopped thread ---- */

static int use_thread(struct session *session) {
    if (sg_save_thread(session->thread, &session->saved) != 0) {
        return finish(session, SG_INJECT_SYSTEM, errno, "saving the registers");
    }
    if (sg_block_signals(session->thread) != 0) {
        return finish(session, SG_INJECT_SYSTEM, errno, "blocking signals");
    }
    int status = with_stack(session);
    if (status != SG_INJECT_GONE && sg_restore_thread(session->thread, &session->saved) != 0) {
        return finish(session, SG_INJECT_GONE, 0, NULL);
    }
    return status;
}

static int64_t nap_ns(int n_refusals) {
    int64_t ns = (int64_t)SHORTEST_NAP_NS * (n_refusals + 1);
    return ns > LONGEST_NAP_NS ? LONGEST_NAP_NS : ns;
}

/* Stop one thread some times, in the hope of a good moment. SG_INJECT_NO_THREAD = try another. */
static int try_thread(struct session *session, int64_t start_ns, int64_t deadline_ns) {
    pid_t thread = session->thread;
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        if (errno == ESRCH) {
            return finish(session, SG_INJECT_NO_THREAD, 0, NULL); /* it has just ended */
        }
        return finish(session, SG_INJECT_NOT_ALLOWED, errno, NULL);
    }
    for (int i = 0; i < TRIES_A_TURN && sg_now_ns() < deadline_ns; i++) {
        enum sg_stop stop = sg_stop_thread(thread, sg_now_ns() + STOP_TIMEOUT_NS);
        if (stop == SG_STOP_GONE || stop == SG_STOP_TIMEOUT) {
            /* Asleep in the kernel where nothing wakes it: it is released when we exit. */
            return finish(session, SG_INJECT_NO_THREAD, 0, NULL);
        }
        if (stop == SG_STOP_GROUP) {
            ptrace(PTRACE_DETACH, thread, NULL, NULL);
            return finish(session, SG_INJECT_STOPPED, 0, NULL);
        }
        int64_t stopped_ns = sg_now_ns();
        if (is_fit(session)) {
            session->result->thread = thread;
            session->result->search_ns = stopped_ns - start_ns;
            int status = use_thread(session);
            ptrace(PTRACE_DETACH, thread, NULL, NULL);
            session->result->stop_ns = sg_now_ns() - stopped_ns;
            return status;
        }
        ptrace(PTRACE_CONT, thread, NULL, NULL);
        sg_pause_ns(nap_ns(session->result->n_refusals++));
    }
    /* It runs: only a stopped thread can be let go. */
    if (sg_stop_thread(thread, sg_now_ns() + STOP_TIMEOUT_NS) != SG_STOP_GONE) {
        ptrace(PTRACE_DETACH, thread, NULL, NULL);
    }
    return finish(session, SG_INJECT_NO_THREAD, 0, NULL);
}

static int search(struct session *session) {
    const struct sg_injection *injection = session->injection;
    int64_t start_ns = sg_now_ns();
    int64_t deadline_ns = start_ns + injection->timeout_ns;
    do {
        size_t n_seized = 0;
        for (size_t i = 0; i < injection->n_threads; i++) {
            session->thread = injection->threads[i];
            int refusals = session->result->n_refusals;
            int status = try_thread(session, start_ns, deadline_ns);
            if (status != SG_INJECT_NO_THREAD) {
                return status;
            }
            n_seized += session->result->n_refusals > refusals;
        }
        if (n_seized == 0) {
            sg_pause_ns(LONGEST_NAP_NS); /* every thread is gone or out of reach */
        }
    } while (sg_now_ns() < deadline_ns);
    return SG_INJECT_NO_THREAD;
}

void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result) {
    struct session session = {.injection = injection, .result = result};
    int status = sg_machine_here == NULL
                     ? finish(&session, SG_INJECT_SYSTEM, ENOSYS, "no such processor")
                     : search(&session);
    __atomic_store_n(&result->status, status, __ATOMIC_RELEASE);
}
