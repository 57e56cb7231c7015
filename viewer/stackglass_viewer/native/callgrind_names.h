/* Names of a callgrind file: objects, files and functions, with numbers that stand for them.
 *
 * A call is in the object and file that the lines are in, unless it names others:
 *
 *     ob=(1) /bin/app      fl=(1) app.c      fn=(1) main      lines of main
 *                          fi=(2) list.h                      lines that were inlined into it
 *     cob=(2) libc.so                        cfn=(7) puts     a function that it calls
 */
#ifndef SG_CALLGRIND_NAMES_H
#define SG_CALLGRIND_NAMES_H

#include "text_pieces.h"

enum { SG_CALLGRIND_NONE = -1, SG_CALLGRIND_KINDS = 3 };

/* What is wrong with a line; numbers that Python's side knows. Below 0: no memory. */
enum sg_callgrind_fault {
    SG_CALLGRIND_NO_MEMORY = -1,
    SG_CALLGRIND_FINE,
    SG_CALLGRIND_NO_COST,     /* of the calls above */
    SG_CALLGRIND_NO_PLACE,    /* that can be read */
    SG_CALLGRIND_MORE_COSTS,  /* than there are events */
    SG_CALLGRIND_NO_NUMBER,   /* that can be read */
    SG_CALLGRIND_NO_FUNCTION, /* it is of none */
    SG_CALLGRIND_NO_CALLEE,
    SG_CALLGRIND_NO_EVENTS, /* yet, but a function */
    SG_CALLGRIND_TOO_LARGE, /* for 63 bits */
    SG_CALLGRIND_UNNAMED,   /* and this plus its kind: a number that stands for nothing */
};

struct sg_callgrind_functions {
    int32_t *slots;                      /* number + 1; 0 = free */
    size_t n_slots;                      /* a power of two, at least twice the functions */
    struct sg_vector object, file, name; /* int32, by number: names, by theirs */
};

struct sg_callgrind_names {
    struct sg_text_pieces texts; /* of names; number 0 is "" */
    /* int32, by number: the names that numbers stand for. valgrind's numbers are dense. Those from
     * `n_dense` on are pieces, their digits, and have columns of their own. */
    struct sg_vector meaning[SG_CALLGRIND_KINDS];
    struct sg_vector far_meaning[SG_CALLGRIND_KINDS];
    struct sg_text_pieces far_numbers;
    uint64_t n_dense;
    const int32_t *alias; /* the caller's: of some names the one that is to be taken for it */
    size_t n_aliases;
    struct sg_callgrind_functions functions;
    int32_t object, file, own_file; /* in force */
    int32_t called_object, called_file;
    int32_t function, callee;
};

/* 0, or -1 if there is no memory; to be freed in either case. */
int sg_callgrind_names_init(struct sg_callgrind_names *names, const unsigned char *text,
                            size_t size);
void sg_callgrind_names_free(struct sg_callgrind_names *names);

/* The line from `begin` to `end`, if it is `key=value`: 1, and what is wrong with it; else 0.
 * `may_add`: functions may be new. */
int sg_callgrind_names_read(struct sg_callgrind_names *names, size_t begin, size_t end, int may_add,
                            enum sg_callgrind_fault *fault);

static inline int sg_callgrind_is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

#endif
