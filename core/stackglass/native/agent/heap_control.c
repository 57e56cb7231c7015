/* Heap control: hooks allocators, drains the heap profile and sends its status. Python's allocators
 * and the imports of libraries are hooked by two separate jobs. Memory that bypasses Python's
 * allocators is recorded once both are hooked. The larger the last message was, the later is the
 * next drain. */
#include "agent/heap_control.h"

#include "heap/heap.h"
#include "interpreter/got_patch.h"
#include "native_memory/arenas.h"
#include "native_memory/native_alloc.h"
#include "native_memory/private_allocators.h"

void sg_heap_control_record_native(struct sg_writer *writer) {
    if (writer->heap.state != SG_HOOK_ON || writer->native.state != SG_HOOK_ON ||
        writer->arguments.is_without_native)
        return;
    sg_native_alloc_record_heap();
    writer->is_heap_native = true;
}

void sg_heap_control_want(struct sg_writer *writer) {
    if (!writer->heap_rate)
        return;
    if (writer->heap.state != SG_HOOK_ON)
        writer->heap.state = SG_HOOK_WANTED;
    if (writer->native.state != SG_HOOK_ON && !writer->arguments.is_without_native)
        writer->native.state = SG_HOOK_WANTED;
    sg_heap_control_record_native(writer);
}

/* After NAMING, the job WITHDRAW frees the tables that a drain reads. */
bool sg_heap_control_drain(struct sg_writer *writer, int64_t now_ns) {
    if (!writer->has_stream || !writer->clients.n || writer->phase > NAMING ||
        now_ns < writer->heap_due_ns || (writer->heap.state == SG_HOOK_OFF && !writer->n_collects))
        return false;
    if (writer->heap.state == SG_HOOK_ON) {
        writer->heap_drained_ns = now_ns;
        sg_stream_drain_heap(&writer->stream, false);
    }
    return true;
}

static const char *explain_native(const struct sg_writer *writer) {
    bool is_declined = writer->native.state == SG_HOOK_ON && !writer->is_heap_native;
    if (writer->heap.state == SG_HOOK_ON && (writer->native.state == SG_HOOK_OFF || is_declined))
        return "memory that bypasses Python's allocators was not requested";
    return writer->native.problem;
}

static void put_status(const struct sg_writer *writer, struct sg_buffer *out) {
    struct sg_heap_status status;
    struct sg_got_patch_status imports;
    struct sg_private_allocators_status allocators;
    struct sg_arena_library arenas[SG_MOST_ARENA_LIBRARIES + 1];
    uint64_t accounted_bytes = writer->stream.heap.accounted_bytes;
    sg_heap_status(&status);
    if (writer->stopped_ns && writer->heap.state == SG_HOOK_ON)
        status.rate = writer->heap_rate; /* the rate at which the heap was recorded */
    sg_got_patch_status(&imports);
    sg_private_allocators_status(&allocators);
    size_t n_arenas = sg_arenas_list(arenas);
    const struct sg_heap_standing standing = {
        .time_mono_ns = writer->heap_drained_ns,
        .accounted_bytes = accounted_bytes,
        .before_attach_bytes = writer->before_attach_bytes,
        .resident = sg_process_memory_account(writer->before_attach_bytes, accounted_bytes),
        .n_collects = writer->n_collects,
        .n_unnamed = writer->stream.heap.rows.waiting.n,
        .n_refused = writer->stream.heap.n_refused,
        .start_mono_ns = writer->heap.start_ns,
        .problem = writer->heap.problem,
        .is_native_seen = writer->is_heap_native,
        .native_problem = explain_native(writer),
        .n_native_libraries = imports.n_libraries,
        .n_allocators = allocators.n_followed,
        .arenas = arenas,
        .n_arenas = n_arenas,
    };
    sg_heap_messages_put_status(out, &status, &standing);
}

/* The next drain is due some time after this: the larger the messages, the later. */
void sg_heap_control_send(struct sg_writer *writer, int64_t now_ns) {
    struct sg_buffer status = {0};
    size_t size = sg_heap_stream_send(&writer->stream.heap, &writer->clients);
    put_status(writer, &status);
    sg_row_publisher_pass_on(SG_TABLE_HEAP, &writer->clients, &status);
    sg_encoder_buffer_free(&status);
    writer->heap_due_ns = now_ns + sg_row_publisher_pause_ns(size);
}
