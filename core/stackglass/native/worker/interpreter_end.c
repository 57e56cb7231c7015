/* Combines the state that the engine sets with the result of Py_IsFinalizing. */
#include "worker/interpreter_end.h"

#include <stdatomic.h>

#include "interpreter/python_symbols.h"

enum state { RUNNING, ENDING, OVER };

/* Lock-free. */
static _Atomic enum state state;
typedef int finalizing_fn(void);
static finalizing_fn *_Atomic finalizing; /* NULL = not looked up yet, or not exported */

void sg_interpreter_end_begin(void) {
    enum state running = RUNNING;
    atomic_compare_exchange_strong(&state, &running, ENDING);
}

void sg_interpreter_end_finish(void) { atomic_store(&state, OVER); }

static bool is_torn_down(void) {
    finalizing_fn *ask = atomic_load(&finalizing);
    return ask && ask();
}

bool sg_interpreter_end_has_begun(void) { return atomic_load(&state) != RUNNING || is_torn_down(); }

bool sg_interpreter_end_is_over(void) { return atomic_load(&state) == OVER || is_torn_down(); }

void sg_interpreter_end_reset(void) { atomic_store(&state, RUNNING); }

void sg_interpreter_end_prepare(void) {
    finalizing_fn *ask;
    if (!sg_python_symbols_look_up("Py_IsFinalizing", &ask)) /* 3.13 and later */
        sg_python_symbols_look_up("_Py_IsFinalizing", &ask);
    atomic_store(&finalizing, ask);
}
