/* Visits the objects that an object refers to, and handles those that are targets.
 *
 *     visit references ─▶ targets among them ─▶ attribute ─▶ a name, or the object is a wrapper
 *                                            └─▶ item      ─▶ the object is a container
 *
 * An object that becomes a target itself is looked for at the next level, one step further away
 * from the lock. At most 64 targets of one object are followed. */
#include "lock_names/references.h"

#include <stdlib.h>
#include <string.h>

#include "frames/standard_library.h"
#include "interpreter/python_text.h"
#include "lock_names/search.h"
#include "objects/attributes.h"
#include "objects/reference_names.h"

enum {
    MOST_FOUND = 64,      /* targets in one object */
    MANY_REFERENCES = 64, /* after more than these the walk checks the time at its next step */
    MOST_NESTED = 4,      /* untracked containers in each other */
};

static struct sg_lock_search *const search = &sg_lock_search;

/* Modules of the standard library whose objects wrap locks. */
static const char *const WRAPPING[] = {
    "threading", "queue", "concurrent.futures", "multiprocessing", "weakref", "asyncio", NULL};

bool sg_lock_references_is_wrapping(const char *name) {
    for (int i = 0; WRAPPING[i]; i++) {
        size_t size = strlen(WRAPPING[i]);
        if (!strncmp(name, WRAPPING[i], size) && (!name[size] || name[size] == '.'))
            return true;
    }
    return false;
}

bool sg_lock_references_has_attributes(PyObject *object) {
    return PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HEAPTYPE;
}

struct found {
    uint32_t n, n_looked_at;
    PyObject *all[MOST_FOUND]; /* borrowed from the object */
};

static bool collect_target(void *context, PyObject *name, PyObject *value) {
    struct found *found = context;
    found->n_looked_at++;
    if (sg_lock_search_is_target(value))
        found->all[found->n++] = value;
    return found->n < MOST_FOUND;
}

/* Whether `attribute` of `object` holds the arguments of a thread, a timer or a pool's task, which
 * live only as long as `object` does. */
static bool is_argument(PyObject *object, const char *holder, const char *attribute) {
    static const char *const OF_THREADS[] = {"._args", "._kwargs", "._target", NULL};
    static const char *const OF_OTHERS[] = {".args", ".kwargs", ".function", ".fn", NULL};
    PyObject *type = sg_python_text_global_type("threading", "Thread"); /* borrowed */
    for (int i = 0; sg_lock_references_is_wrapping(holder) && OF_OTHERS[i]; i++) {
        if (!strcmp(attribute, OF_OTHERS[i]))
            return true;
    }
    for (int i = 0; OF_THREADS[i]; i++) {
        if (!strcmp(attribute, OF_THREADS[i]))
            return type && PyObject_TypeCheck(object, (PyTypeObject *)type);
    }
    return false;
}

enum around { WRAPPER, CONTAINER, FOR_ITEMS };

/* Add `object` as a target of the next level, in place of the target `of` to which it refers. */
static void add_around(PyObject *object, uint32_t type, uint32_t of, const char *attribute,
                       enum around what) {
    const struct sg_lock_target *inner = &search->targets.targets[of];
    struct sg_lock_target around = {
        .object = (uintptr_t)object,
        .lock = inner->lock,
        .of = of,
        .type = type,
        .is_container = what == CONTAINER,
        .is_for_items = what == FOR_ITEMS,
    };
    const char *holder = search->types.rows.at[type].name;
    around.is_argument =
        inner->is_argument || (what == WRAPPER && is_argument(object, holder, attribute));
    if (strlen(attribute) >= sizeof around.attribute || !sg_lock_search_is_promising(&around))
        return;
    strcpy(around.attribute, attribute);
    sg_lock_targets_add(&search->targets, around);
}

/* Return the attribute by which an instance or a class refers to `value`, such as "._lock",
 * malloc'ed; NULL if it has no such attribute. */
static char *spell_attribute(PyObject *object, bool is_class, PyObject *value) {
    PyObject *name = is_class ? sg_object_attributes_class_name(object, value)
                              : sg_attribute_name(object, value);
    char *text = name ? sg_reference_names_attribute(name) : NULL;
    Py_XDECREF(name);
    return text;
}

/* Whether the path from `target` to its lock leads through a container. */
static bool is_item(uint32_t target) {
    bool is_item = false;
    for (; target != SG_NO_TARGET; target = search->targets.targets[target].of)
        is_item |= search->targets.targets[target].is_container;
    return is_item;
}

/* Name `target` by the class of `object`: app.Shard._lock. If the shard is in a list, the next
 * level makes that app.Store.shards[3]._lock. A class of the standard library is final: the name
 * logging.FileHandler.lock is better than a logger's handlers[0].lock. */
static void name_by_class(PyObject *object, uint32_t row, uint32_t target, const char *attribute) {
    const char *holder = search->types.rows.at[row].name;
    bool is_by_class = !is_item(target) && !sg_standard_library_has_class(holder);
    enum sg_lock_path_kind kind = is_argument(object, holder, attribute) ? SG_PATH_ARGUMENT
                                  : is_by_class                          ? SG_PATH_CLASS
                                                                         : SG_PATH_ATTRIBUTE;
    sg_lock_search_name(target, kind, holder, attribute);
    if (kind == SG_PATH_CLASS)
        add_around(object, row, target, attribute, FOR_ITEMS);
}

/* Handle the targets that are `value`, by the attribute of `object` that refers to it. `object` is
 * an instance of the class in `row`, or that class itself. Returns false if `value` is a target,
 * but no attribute of `object`. */
static bool take_attribute(PyObject *object, uint32_t row, bool is_class, PyObject *value) {
    const char *holder = search->types.rows.at[row].name;
    uint32_t target = sg_lock_search_find(value);
    char *attribute =
        target != SG_NO_TARGET && (is_class || sg_lock_references_has_attributes(object))
            ? spell_attribute(object, is_class, value)
            : NULL;
    for (uint32_t at = target; attribute && at != SG_NO_TARGET;
         at = sg_lock_search_next(at, value)) {
        if (sg_lock_search_is_for_items(at))
            continue;
        if (is_class)
            sg_lock_search_name(at, SG_PATH_ATTRIBUTE, holder, attribute);
        else if (sg_lock_references_is_wrapping(holder))
            add_around(object, row, at, attribute, WRAPPER);
        else
            name_by_class(object, row, at, attribute);
    }
    bool is_taken = attribute || target == SG_NO_TARGET;
    free(attribute);
    return is_taken;
}

/* A container, and its items that are targets. */
struct taking {
    PyObject *container;
    uint32_t row;
    struct found *wanted;
};

static void add_container(const struct taking *taking, PyObject *value, char *text) {
    uint32_t target = text ? sg_lock_search_find(value) : SG_NO_TARGET;
    for (; target != SG_NO_TARGET; target = sg_lock_search_next(target, value))
        add_around(taking->container, taking->row, target, text, CONTAINER);
    free(text);
}

static void take_item(void *context, const struct sg_item *item) {
    const struct taking *taking = context;
    if (!sg_lock_search_is_target(item->value))
        return;
    for (uint32_t i = 0; i < taking->wanted->n; i++) {
        if (taking->wanted->all[i] == item->value) {
            add_container(taking, item->value, sg_reference_names_item(item));
            return;
        }
    }
}

/* Handle the items in `wanted`, all in one pass through the container. */
static void take_items(PyObject *container, uint32_t row, struct found *wanted) {
    struct taking taking = {container, row, wanted};
    if (!sg_reference_names_is_set(container)) {
        sg_reference_names_visit_items(container, take_item, &taking);
        return;
    }
    /* A set's order depends on hashes, often on addresses: take all of its members or none. */
    if (wanted->n == MOST_FOUND || PySet_Size(container) > SG_MOST_ATTRIBUTES)
        return;
    for (uint32_t i = 0; i < wanted->n; i++)
        add_container(&taking, wanted->all[i], sg_reference_names_member());
}

uint32_t sg_lock_references_take(PyObject *object, bool is_container) {
    struct found found = {0}, items = {0};
    const struct sg_known_type *known = sg_lock_search_type(object);
    bool is_class = known->is_metatype;
    uint32_t row = known->row;
    sg_attributes_visit(object, sg_lock_search_traverse(known), collect_target, &found);
    if (found.n_looked_at > MANY_REFERENCES)
        sg_collector_walk_hurry(&search->walk);
    if (found.n && is_class)
        row = sg_object_types_of(&search->types, (uintptr_t)object)->row;
    for (uint32_t i = 0; i < found.n && row != SG_NO_TYPE; i++) {
        if (!take_attribute(object, row, is_class, found.all[i]))
            items.all[items.n++] = found.all[i];
    }
    if (items.n && is_container)
        take_items(object, row, &items);
    return found.n_looked_at;
}

struct nested {
    uint32_t *n_looked_at;
    int depth;
};

static bool take_nested(void *context, PyObject *name, PyObject *value) {
    const struct nested *nested = context;
    if (Py_TYPE(value) == &PyDict_Type || Py_TYPE(value) == &PyTuple_Type)
        sg_lock_references_take_untracked(value, nested->n_looked_at, nested->depth + 1);
    return *nested->n_looked_at < SG_MOST_ATTRIBUTES;
}

void sg_lock_references_take_untracked(PyObject *container, uint32_t *n_looked_at, int depth) {
    struct nested nested = {n_looked_at, depth};
    *n_looked_at += 1 + sg_lock_references_take(container, true);
    if (depth < MOST_NESTED && *n_looked_at < SG_MOST_ATTRIBUTES)
        sg_attributes_visit(container, sg_lock_search_traverse(sg_lock_search_type(container)),
                            take_nested, &nested);
}
