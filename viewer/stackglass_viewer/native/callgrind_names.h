/* Names in a callgrind file: the object (library), the file and the function that the lines below
 * them belong to.
 *
 *     ob=(1) /bin/app      fl=(1) app.c      fn=(1) main      lines of main
 *                          fi=(2) list.h                      lines that were inlined into it
 *     cob=(2) libc.so                        cfn=(7) puts     a function that it calls
 *     fn=(1)                                                  main again: the number suffices
 *
 * A called function is in the current object and file, unless cob= or cfi= names others. */
#ifndef SG_CALLGRIND_NAMES_H
#define SG_CALLGRIND_NAMES_H

#include "text_pieces.h"

enum { SG_CALLGRIND_NONE = -1, SG_CALLGRIND_KINDS = 3 }; /* kinds: object, file, function */

/* What is wrong with a line. model/readers/callgrind.py has a sentence for each number. */
enum sg_callgrind_fault {
    SG_CALLGRIND_NO_MEMORY = -1,
    SG_CALLGRIND_FINE,
    SG_CALLGRIND_NO_COST,     /* no costs follow calls= */
    SG_CALLGRIND_NO_PLACE,    /* the position cannot be read */
    SG_CALLGRIND_MORE_COSTS,  /* more costs than events */
    SG_CALLGRIND_NO_NUMBER,   /* a cost cannot be read */
    SG_CALLGRIND_NO_FUNCTION, /* costs before the first fn= */
    SG_CALLGRIND_NO_CALLEE,   /* calls= without cfn= */
    SG_CALLGRIND_NO_EVENTS,   /* a function before events= */
    SG_CALLGRIND_TOO_LARGE,   /* a sum does not fit in 63 bits */
    SG_CALLGRIND_TOO_MANY, /* more costs than SG_CALLGRIND_FREE_COSTS and the file's size permit */
    SG_CALLGRIND_UNNAMED,  /* + kind: no name was given for a number, as in fn=(7) */
};

/* The different functions: object, file and name by number. A hash table with open addressing finds
 * the number of a function. */
struct sg_callgrind_functions {
    struct sg_vector slots;              /* int32: a function's number + 1; 0 = free */
    struct sg_vector object, file, name; /* int32: numbers of names */
};

struct sg_callgrind_names {
    struct sg_text_pieces texts; /* the names; number 0 is "" */
    /* int32, by kind: the name that each number in the file stands for. valgrind counts from 1, so
     * a number below `n_dense` is an index of `meaning`. Other tools may write any number: a larger
     * one is looked up by its digits in `far_numbers`, which gives an index of `far_meaning`, so
     * that a large number needs no large column. */
    struct sg_vector meaning[SG_CALLGRIND_KINDS];
    struct sg_vector far_meaning[SG_CALLGRIND_KINDS];
    struct sg_text_pieces far_numbers;
    uint64_t n_dense;
    const int32_t *alias; /* (n_aliases,) borrowed: the name that replaces each name */
    size_t n_aliases;
    struct sg_callgrind_functions functions;
    /* The current names, set by the lines read so far. */
    int32_t object, file, own_file; /* own_file: the function's, even in lines inlined into it */
    int32_t called_object, called_file; /* SG_CALLGRIND_NONE = `object`, `file` */
    int32_t function, callee;
};

/* Initialize. Returns 0, or -1 if memory is short; free `names` in either case. */
int sg_callgrind_names_init(struct sg_callgrind_names *names, const unsigned char *text,
                            size_t size);
void sg_callgrind_names_free(struct sg_callgrind_names *names);

/* Read the line from `begin` to `end`. Returns 1 and sets `*fault` if the line is one of the lines
 * above, else 0. `may_add`: events= has been read, so functions may be added. */
int sg_callgrind_names_read(struct sg_callgrind_names *names, size_t begin, size_t end, int may_add,
                            enum sg_callgrind_fault *fault);

static inline int sg_callgrind_is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

#endif
