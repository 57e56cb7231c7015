/* Requests of the program to the engine in its own process, one at a time.
 *
 *     none ──claim──▶ claimed ──post──▶ posted ──writer takes it──▶ taken ──▶ done ──▶ none
 *                                         └── patience over ──▶ none  └─▶ abandoned ──▶ none
 *
 * So the program is a client like any other: it connects for a snapshot, and it has rates, which
 * stay in force until it withdraws. */
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
    SG_PROGRAM_SET_RATE, /* 0 withdraws the program's request for it; its other rates stay */
    SG_PROGRAM_WITHDRAW, /* all rates; done when the engine has left, if it has no other client */
};

struct sg_program_request {
    enum sg_program_request_kind kind;
    struct sockaddr_un address; /* CONNECT: a listening socket of this process */
    socklen_t address_size;
    enum sg_rate rate; /* SET_RATE */
    uint64_t value;
};

/* By a thread of the program, without the GIL. */

/* Have the engine do it; starts the engine by `begin` if it is absent. False = it was not done, and
 * `problem` says why. */
bool sg_program_request_do(sg_begin_fn *begin, const struct sg_program_request *request,
                           char problem[SG_PROGRAM_PROBLEM_BYTES]);
/* A connection to the engine: a descriptor, or -1 and `problem`. It needs no file. */
int sg_program_request_connect(sg_begin_fn *begin, char problem[SG_PROGRAM_PROBLEM_BYTES]);

/* Set how many frames of a stack an engine keeps that the program starts (frames/stack_depth.h);
 * returns the old number. Any thread. */
uint32_t sg_program_request_set_stack_depth(uint32_t depth);
uint32_t sg_program_request_stack_depth(void);

/* By the writer. */
bool sg_program_request_is_posted(void);
/* Take the posted request; NULL = there is none. Valid until the writer finishes it. */
const struct sg_program_request *sg_program_request_take(void);
/* The request that was taken and not finished; NULL = none. */
const struct sg_program_request *sg_program_request_current(void);
/* "" = it is done. No effect without a request that was taken. */
void sg_program_request_finish(const char *problem);
/* Refuse the one that is posted, if there is one; "" = leave it for the next engine. */
void sg_program_request_refuse(const char *problem);

void sg_program_request_forget(void); /* in a forked child */

#endif
