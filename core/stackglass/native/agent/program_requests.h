/* Requests of the program to the engine in its own process, one at a time.
 *
 *     none ──claim──▶ claimed ──post──▶ posted ──writer takes it──▶ taken ──▶ done ──▶ none
 *                                         └── patience over ──▶ none  └─▶ abandoned ──▶ none
 *
 * The program is a client like any other: it connects for a snapshot, and it has rates, which stay
 * in force until it withdraws. */
#ifndef STACKGLASS_AGENT_PROGRAM_REQUESTS_H
#define STACKGLASS_AGENT_PROGRAM_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "agent/lifecycle.h"
#include "wire/client_rates.h"

enum { SG_PROGRAM_PROBLEM_BYTES = 256 };

enum sg_program_request_kind {
    SG_PROGRAM_CONNECT,  /* the engine connects to `address` and serves a client there */
    SG_PROGRAM_SET_RATE, /* set `rate`; 0 withdraws the program's request for this rate only */
    SG_PROGRAM_WITHDRAW, /* withdraw all rates; if the engine then leaves, wait until it has left */
};

struct sg_program_request {
    enum sg_program_request_kind kind;
    struct sockaddr_un address; /* CONNECT: a listening socket of this process */
    socklen_t address_size;
    enum sg_rate rate; /* SET_RATE */
    uint64_t value;
};

/* Threads of the program call the following functions, without the GIL. */

/* Have the engine execute `request`; if the engine is absent, start it by `begin`. Returns false if
 * the request was not executed, and `problem` says why. */
bool sg_program_request_do(sg_begin_fn *begin, const struct sg_program_request *request,
                           char problem[SG_PROGRAM_PROBLEM_BYTES]);
/* Connect to the engine, without a socket file. Returns a descriptor, or -1 with the reason in
 * `problem`. */
int sg_program_request_connect(sg_begin_fn *begin, char problem[SG_PROGRAM_PROBLEM_BYTES]);

/* Set how many frames of a stack an engine keeps that the program starts (frames/stack_depth.h);
 * returns the old number. Any thread may call this. */
uint32_t sg_program_request_set_stack_depth(uint32_t depth);
uint32_t sg_program_request_stack_depth(void);

/* Only the writer calls the following functions. */
bool sg_program_request_is_posted(void);
/* Take the posted request. Returns NULL if there is none. The request is valid until the writer
 * finishes it. */
const struct sg_program_request *sg_program_request_take(void);
/* Return the request that was taken and not finished, or NULL. */
const struct sg_program_request *sg_program_request_current(void);
/* Finish the request that was taken, if there is one. `problem` says why it failed; "" = it
 * succeeded. Returns false if the program has given the request up meanwhile: for the program it
 * has failed. */
bool sg_program_request_finish(const char *problem);
/* Refuse the posted request, if there is one, because of `problem`; "" leaves the request for the
 * next engine. */
void sg_program_request_refuse(const char *problem);

void sg_program_request_forget(void); /* in a forked child */

#endif
