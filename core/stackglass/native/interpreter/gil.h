/* GIL: the struct in which the interpreter keeps a GIL. */
#ifndef STACKGLASS_INTERPRETER_GIL_H
#define STACKGLASS_INTERPRETER_GIL_H

#include <pthread.h>
#include <stdint.h>

/* CPython's struct _gil_runtime_state, 3.9 to 3.15. */
struct sg_gil {
    unsigned long interval_us; /* the switch interval */
    uintptr_t last_holder;     /* PyThreadState */
    int locked;                /* 1 = held, 0 = free, -1 = not initialised yet */
    unsigned long switch_number;
    pthread_cond_t cond; /* signalled when the GIL is released */
    pthread_mutex_t mutex;
    pthread_cond_t switch_cond; /* signalled when another thread has taken the GIL */
    pthread_mutex_t switch_mutex;
};

#endif
