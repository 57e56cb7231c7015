/* The program's label sets have ascending numbers, so two numbers suffice: all sets before `end`
 * are defined, and all up to `most` are needed. Each task has a bit, because tasks are needed in
 * any order. They are defined at once, because their names have been copied already. */
#include "wire/label_sets.h"

#include "labels/labels.h"
#include "labels/variables.h"
#include "tasks/running.h"

/* Define the label set of a task, once: its name, and the values of its context variables. */
static void define_task(struct sg_label_sets *sets, uint32_t task) {
    uint64_t *word = &sets->tasks[task / 64], bit = UINT64_C(1) << task % 64;
    char text[SG_TASK_NAME_BYTES];
    size_t at = 0;
    uint32_t key;
    while (task <= SG_OTHER_TASKS && !(*word & bit) && sg_task_names_next(task, &at, &key, text))
        sg_intern_label(sets->intern, task << SG_TASK_LABEL_SHIFT,
                        key ? sg_variables_key(key - 1) : "task", text);
    if (at)
        *word |= bit;
}

void sg_label_sets_need(struct sg_label_sets *sets, uint32_t labels) {
    uint32_t set = labels & SG_PROGRAM_LABELS, task = sg_running_task_of_label(labels);
    if (task)
        define_task(sets, task);
    if (set == SG_OTHER_LABELS) {
        if (!sets->has_other)
            sg_intern_label(sets->intern, set, "labels", "<other labels>");
        sets->has_other = true;
    } else if (set > sets->most) {
        sets->most = set;
    }
}

bool sg_label_sets_are_wanted(const struct sg_label_sets *sets) {
    return sets->most && sets->most >= sets->end;
}

void sg_label_sets_take(struct sg_label_sets *sets, const struct sg_label_rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        const struct sg_label *label = &rows->at[i];
        if (label->set != SG_OTHER_LABELS) /* SG_OTHER_LABELS is defined in this file */
            sg_intern_label(sets->intern, label->set, label->key, label->value);
    }
    sets->end = rows->end > sets->end ? rows->end : sets->most + 1;
}
