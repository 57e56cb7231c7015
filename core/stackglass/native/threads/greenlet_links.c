/* Classifies an object by its type, then visits its references for links and waiters. */
#include "threads/greenlet_links.h"

#include <string.h>

#include "interpreter/object_fields.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"
#include "threads/getters.h"

enum { TYPE_ALIGNMENT_BITS = 4 }; /* low bits of a type's address, which are 0 */

enum kind { NONE, LINKABLE, QUEUE, CHANNEL, WAITER };

static PyTypeObject *find_type(const char *module, const char *name) {
    return (PyTypeObject *)sg_python_text_global_type(module, name);
}

bool sg_greenlet_links_learn(struct sg_greenlet_links *links, struct sg_greenlet_fields *fields) {
    memset(links, 0, sizeof *links);
    links->fields = fields;
    links->linkable = find_type("gevent._gevent_c_abstract_linkable", "AbstractLinkable");
    links->waiter = find_type("gevent._gevent_c_waiter", "Waiter");
    if (!links->linkable || !links->waiter)
        return false;
    links->greenlet = find_type("gevent._gevent_cgreenlet", "Greenlet");
    links->multiple_waiter = find_type("gevent._gevent_c_waiter", "MultipleWaiter");
    links->waiting = sg_getters_find((PyObject *)links->waiter, "greenlet");
    links->queue = find_type("gevent._gevent_cqueue", "SimpleQueue");
    if (!links->queue) /* up to 25.4.1 */
        links->queue = find_type("gevent._gevent_cqueue", "Queue");
    links->channel = find_type("gevent._gevent_cqueue", "Channel");
    links->item_waiter = find_type("gevent._gevent_cqueue", "ItemWaiter");
    links->deque = find_type("_collections", "deque");
    if (links->queue)
        links->items = sg_getters_find((PyObject *)links->queue, "queue");
    return true;
}

/* ---- Types ---- */

static bool is_a(PyObject *object, const PyTypeObject *type) {
    return type && PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)type);
}

static enum kind look_up(const struct sg_greenlet_links *links, PyObject *object) {
    if (is_a(object, links->linkable) || is_a(object, links->greenlet))
        return LINKABLE;
    if (is_a(object, links->waiter))
        return WAITER;
    if (is_a(object, links->channel))
        return CHANNEL;
    return is_a(object, links->queue) && links->items && links->item_waiter ? QUEUE : NONE;
}

static enum kind kind_of(struct sg_greenlet_links *links, PyObject *object) {
    uintptr_t type = (uintptr_t)Py_TYPE(object);
    struct sg_greenlet_link_type *known =
        &links->types[(type >> TYPE_ALIGNMENT_BITS) % SG_MOST_GREENLET_TYPES];
    if (known->type != type)
        *known = (struct sg_greenlet_link_type){type, (uint8_t)look_up(links, object)};
    return (enum kind)known->kind;
}

const char *sg_greenlet_links_name_type(PyObject *object) {
    static const char LIBRARY[] = "gevent.";
    for (uintptr_t type = (uintptr_t)Py_TYPE(object); type;
         type = sg_memory_load(type + SG_TP_BASE)) {
        const char *name = (const char *)sg_memory_load(type + SG_TP_NAME);
        if (!strncmp(name, LIBRARY, sizeof LIBRARY - 1))
            return strrchr(name, '.') + 1;
    }
    return "";
}

/* ---- What an object refers to ---- */

struct visit {
    struct sg_greenlet_links *links;
    PyObject *owner;
    PyObject *items; /* the deque of a queue's items, which has no waiters */
    enum kind kind;
    sg_greenlet_link_fn *report;
};

static void traverse(PyObject *object, visitproc visit, struct visit *context) {
    uintptr_t type = (uintptr_t)Py_TYPE(object);
    traverseproc function = (traverseproc)sg_memory_load(type + SG_TP_TRAVERSE);
    if (function)
        function(object, visit, context);
}

static bool is_switch(PyObject *function) {
    uintptr_t definition = sg_memory_load((uintptr_t)function + SG_C_FUNCTION_DEFINITION);
    return definition && !strcmp((const char *)sg_memory_load(definition), "switch");
}

/* Return the object whose method `switch` this link is, in the form that the greenlet library or
 * Cython gives it; NULL if the link is something else, such as the method that kills a greenlet. */
static PyObject *switched_by(PyObject *link) {
    const char *type = (const char *)sg_memory_load((uintptr_t)Py_TYPE(link) + SG_TP_NAME);
    PyObject *function, *self;
    if (Py_TYPE(link) == &PyCFunction_Type)
        return is_switch(link) ? PyCFunction_GetSelf(link) : NULL;
    if (strcmp(type, "method") != 0)
        return NULL;
    function = (PyObject *)sg_memory_load((uintptr_t)link + SG_METHOD_FUNCTION);
    self = (PyObject *)sg_memory_load((uintptr_t)link + SG_METHOD_SELF);
    type = (const char *)sg_memory_load((uintptr_t)Py_TYPE(function) + SG_TP_NAME);
    /* A Cython function begins with the fields of PyCFunctionObject. */
    return strstr(type, "cython_function_or_method") && is_switch(function) ? self : NULL;
}

static void report_waiter(const struct visit *visit, PyObject *waiter, enum sg_greenlet_wait wait) {
    PyObject *greenlet =
        visit->links->waiting ? sg_getters_read(visit->links->waiting, waiter) : NULL;
    if (greenlet && sg_greenlet_fields_is_greenlet(visit->links->fields, (uintptr_t)greenlet))
        visit->report(greenlet, visit->owner, wait);
}

static int see_link(PyObject *link, void *context) {
    struct visit *visit = context;
    PyObject *greenlet = switched_by(link);
    if (greenlet && sg_greenlet_fields_is_greenlet(visit->links->fields, (uintptr_t)greenlet))
        visit->report(greenlet, visit->owner, SG_GREENLET_WAITS);
    return 0;
}

static int see_waiter(PyObject *item, void *context) {
    struct visit *visit = context;
    bool is_pair = visit->kind == CHANNEL && PyTuple_CheckExact(item) && PyTuple_Size(item) == 2;
    PyObject *waiter = is_pair ? PyTuple_GetItem(item, 1) : item; /* borrowed */
    if (!is_a(waiter, visit->links->waiter))
        return 0;
    bool is_putter = is_pair || is_a(waiter, visit->links->item_waiter);
    report_waiter(visit, waiter, is_putter ? SG_GREENLET_PUTS : SG_GREENLET_GETS);
    return 0;
}

/* Visit an object that the owner refers to directly. */
static int see_reference(PyObject *value, void *context) {
    struct visit *visit = context;
    if (visit->kind == LINKABLE && PyList_CheckExact(value))
        traverse(value, see_link, visit);
    else if (visit->kind != LINKABLE && Py_TYPE(value) == visit->links->deque &&
             value != visit->items)
        traverse(value, see_waiter, visit);
    return 0;
}

void sg_greenlet_links_visit(struct sg_greenlet_links *links, PyObject *object,
                             sg_greenlet_link_fn *report) {
    struct visit visit = {links, object, NULL, kind_of(links, object), report};
    switch (visit.kind) {
    case WAITER:
        if (is_a(object, links->multiple_waiter))
            report_waiter(&visit, object, SG_GREENLET_WAITS_MANY);
        break;
    case QUEUE:
        visit.items = sg_getters_read(links->items, object);
        traverse(object, see_reference, &visit);
        break;
    case LINKABLE:
    case CHANNEL:
        traverse(object, see_reference, &visit);
        break;
    case NONE:
        break;
    }
}
