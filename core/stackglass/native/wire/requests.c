/* A decoder for the protobuf fields of requests, which are varints and byte strings; other fields
 * are skipped. It reads within [at, end) of one frame, which is at most SG_MAX_REQUEST_BYTES long,
 * and allocates nothing. The first invalid byte sets `is_bad`, and the client is dropped.
 *
 * The numbers of a message are read into an array by field number; missing fields are 0. */
#include "wire/requests.h"

#include <stdbool.h>
#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5, MAX_VARINT_BYTES = 10 };
enum { MAX_FIELD = SG_TAG_SET_CONTENTION_RATES_CHANGED }; /* largest field number of any request */

struct reader {
    const uint8_t *at, *end;
    bool is_bad;
};

struct field {
    uint32_t number;
    uint64_t value;       /* value of a varint */
    struct reader inside; /* content of a byte string */
};

static uint64_t read_varint(struct reader *reader) {
    uint64_t value = 0;
    for (int i = 0; i < MAX_VARINT_BYTES && reader->at < reader->end; i++) {
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80)
            return value;
    }
    reader->is_bad = true;
    return 0;
}

static void skip(struct reader *reader, uint64_t size) {
    if (size > (uint64_t)(reader->end - reader->at))
        reader->is_bad = true;
    else
        reader->at += size;
}

/* Read the next field. Returns false at the end, or if the bytes are invalid. */
static bool read_field(struct reader *reader, struct field *field) {
    if (reader->at == reader->end)
        return false;
    uint64_t tag = read_varint(reader);
    memset(field, 0, sizeof *field);
    field->number = (uint32_t)(tag >> 3);
    switch (tag & 7) {
    case VARINT:
        field->value = read_varint(reader);
        break;
    case FIXED64:
        skip(reader, 8);
        break;
    case FIXED32:
        skip(reader, 4);
        break;
    case BYTES:
        field->value = read_varint(reader);
        field->inside.at = reader->at;
        skip(reader, field->value);
        field->inside.end = reader->at;
        break;
    default:
        reader->is_bad = true;
    }
    if (!field->number)
        reader->is_bad = true;
    return !reader->is_bad;
}

/* Read the numbers in a message, by field. */
static void read_numbers(struct reader *message, uint64_t numbers[MAX_FIELD + 1]) {
    struct field field;
    while (read_field(message, &field))
        if (field.number <= MAX_FIELD)
            numbers[field.number] = field.value;
}

static void read_arguments(const uint64_t *numbers, struct sg_request *request) {
    switch (request->kind) {
    case SG_REQUEST_GREETING:
        request->protocol = numbers[SG_TAG_GREETING_PROTOCOL];
        break;
    case SG_REQUEST_SET_RATES:
        request->cpu_hz = numbers[SG_TAG_RATES_CPU_HZ];
        break;
    case SG_REQUEST_SET_WALL_RATE:
        request->wall_hz = numbers[SG_TAG_SET_WALL_RATE_WALL_HZ];
        break;
    case SG_REQUEST_SET_HEAP_RATE:
        request->heap_rate = numbers[SG_TAG_SET_HEAP_RATE_RATE];
        request->is_without_native = numbers[SG_TAG_SET_HEAP_RATE_WITHOUT_NATIVE];
        break;
    case SG_REQUEST_SET_CONTENTION_RATES:
        request->contention = (struct sg_requested_rates){
            .block_ns = numbers[SG_TAG_SET_CONTENTION_RATES_BLOCK_RATE_NS],
            .mutex_fraction = numbers[SG_TAG_SET_CONTENTION_RATES_MUTEX_FRACTION],
            .gil_hz = numbers[SG_TAG_SET_CONTENTION_RATES_GIL_HZ],
            .kept = numbers[SG_TAG_SET_CONTENTION_RATES_KEPT],
            .is_other = numbers[SG_TAG_SET_CONTENTION_RATES_HAS_OTHER],
            .stall_ns = numbers[SG_TAG_SET_CONTENTION_RATES_STALL_NS],
            .changed = numbers[SG_TAG_SET_CONTENTION_RATES_CHANGED],
        };
        break;
    case SG_REQUEST_SET_MEMORY_TRACE:
        request->is_on = numbers[SG_TAG_SET_MEMORY_TRACE_IS_ON] != 0;
        request->is_without_native = numbers[SG_TAG_SET_MEMORY_TRACE_WITHOUT_NATIVE];
        break;
    case SG_REQUEST_TAKE_THREAD_DUMP:
        request->wants_leaks = numbers[SG_TAG_TAKE_THREAD_DUMP_WANTS_LEAKS] != 0;
        break;
    case SG_REQUEST_SET_NATIVE_STACKS:
        request->has_native_stacks = numbers[SG_TAG_SET_NATIVE_STACKS_IS_ON] != 0;
        break;
    default: /* the others have no arguments */
        break;
    }
}

static void read_names(struct reader message, struct sg_request *request) {
    struct field field;
    while (read_field(&message, &field)) {
        if (field.number != SG_TAG_LABEL_VARIABLES_NAMES || !field.inside.at)
            continue;
        size_t n_bytes = (size_t)(field.inside.end - field.inside.at);
        request->n_names_bytes = n_bytes < SG_MAX_NAMES_BYTES ? n_bytes : SG_MAX_NAMES_BYTES;
        memcpy(request->names, field.inside.at, request->n_names_bytes);
    }
}

static bool read_request(struct reader reader, struct sg_request *request) {
    struct field field;
    memset(request, 0, sizeof *request);
    while (read_field(&reader, &field)) {
        struct reader *inside = &field.inside, whole = *inside;
        uint64_t numbers[MAX_FIELD + 1] = {0};
        if (inside->at)
            read_numbers(inside, numbers);
        if (inside->is_bad)
            return false;
        if (!inside->at || field.number < SG_REQUEST_GREETING || field.number > SG_REQUEST_LAST)
            continue;
        *request = (struct sg_request){.kind = (enum sg_request_kind)field.number};
        read_arguments(numbers, request);
        if (request->kind == SG_REQUEST_LABEL_VARIABLES)
            read_names(whole, request);
    }
    return !reader.is_bad;
}

long sg_request_read(const uint8_t *bytes, size_t size, struct sg_request *request) {
    struct reader reader = {.at = bytes, .end = bytes + size};
    size_t length_bytes = 0;
    while (length_bytes < size && bytes[length_bytes] & 0x80)
        length_bytes++;
    if (length_bytes == size)
        return size < MAX_VARINT_BYTES ? 0 : -1;
    uint64_t length = read_varint(&reader);
    if (reader.is_bad || length > SG_MAX_REQUEST_BYTES)
        return -1;
    if (length > (uint64_t)(reader.end - reader.at))
        return 0;
    reader.end = reader.at + length;
    return read_request(reader, request) ? (long)(reader.end - bytes) : -1;
}
