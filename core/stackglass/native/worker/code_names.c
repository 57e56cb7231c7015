/* Copies the info of code objects while they live. A number without a live code object gets
 * nothing: its tombstone will have the info (frames/code_ids.h). On 3.9 and 3.10 qualified names
 * are recovered by a search from the modules (qualnames.h). */
#include "worker/code_names.h"

#include <stdlib.h>
#include <string.h>

#include "frames/qualnames.h"
#include "interpreter/interpreters.h"
#include "tasks/running.h"

enum { LAST_MINOR_WITHOUT_QUALNAMES = 10 };

/* Set the qualified names on 3.9 and 3.10, where code objects have none. */
static void recover_qualnames(struct sg_job *job, const struct sg_paths *paths) {
    struct sg_wanted_name *wanted = calloc(job->n_codes, sizeof *wanted);
    size_t n = 0;
    for (size_t i = 0; wanted && i < job->n_codes; i++) {
        struct sg_named_code *code = &job->codes[i];
        void *alive = code->info.name ? sg_code_ids_alive(code->id) : NULL;
        if (alive && strcmp(code->info.name, "<module>") != 0)
            wanted[n++] = (struct sg_wanted_name){
                .code = alive,
                .module = sg_module_names_of(paths, code->info.filename),
            };
    }
    if (n)
        sg_qualnames_find(wanted, n);
    for (size_t i = 0; wanted && i < job->n_codes; i++) {
        struct sg_named_code *code = &job->codes[i];
        void *alive = code->info.name ? sg_code_ids_alive(code->id) : NULL;
        for (size_t j = 0; alive && j < n; j++)
            if (wanted[j].code == alive && wanted[j].qualname) {
                free(code->info.qualname);
                code->info.qualname = wanted[j].qualname;
                wanted[j].qualname = NULL;
            }
    }
    for (size_t j = 0; j < n; j++) {
        free((char *)wanted[j].module);
        free(wanted[j].qualname);
    }
    free(wanted);
}

/* A thread with the GIL may free the code object meanwhile. If it is alive afterwards, it was alive
 * all the time, since no number is used twice. */
bool sg_code_names_copy_without_gil(sg_code_id id, struct sg_code_info *info) {
    const void *alive = sg_code_ids_alive(id);
    if (!alive || sg_code_info_copy_foreign(alive, info))
        return false;
    if (sg_code_ids_alive(id) == alive)
        return true;
    sg_code_info_free(info);
    return false;
}

/* Copy the info of a code object; all zero = there is none. The code object may belong to an
 * interpreter with another GIL. */
static void copy_info(struct sg_named_code *code, bool may_be_foreign) {
    const void *alive = may_be_foreign ? NULL : sg_code_ids_alive(code->id);
    bool is_copied = may_be_foreign ? sg_code_names_copy_without_gil(code->id, &code->info)
                                    : alive && !sg_code_info_copy(alive, &code->info);
    if (!is_copied)
        memset(&code->info, 0, sizeof code->info);
}

void sg_code_names_copy(struct sg_job *job, struct sg_paths *paths) {
    bool may_be_foreign = sg_interpreters_are_apart();
    sg_running_tasks_learn(); /* new code: asyncio may have been imported */
    sg_module_names_learn_paths(paths);
    for (size_t i = 0; i < job->n_codes; i++)
        copy_info(&job->codes[i], may_be_foreign);
    if (job->interpreter.minor <= LAST_MINOR_WITHOUT_QUALNAMES)
        recover_qualnames(job, paths);
}
