/* Primitives: the functions in which threads wait, and those that release a waiter. Each has a
 * number, a name, and a pseudo-frame that stands for its call at the leaf of a stack. */
#ifndef STACKGLASS_FRAMES_PRIMITIVES_H
#define STACKGLASS_FRAMES_PRIMITIVES_H

#include <stdbool.h>

#include "frames/frame.h"

/* X(number, type of the object, name in tables, name of its frame). The functions from CONDITION on
 * are Python functions, which have frames of their own: their numbers only say what a thread waits
 * for. */
#define SG_PRIMITIVES(X)                                                                           \
    X(LOCK_ACQUIRE, "Lock", "Lock.acquire", "_thread.lock.acquire")                                \
    X(LOCK_ENTER, "Lock", "Lock.__enter__", "_thread.lock.__enter__")                              \
    X(LOCK_RELEASE, "Lock", "Lock.release", "_thread.lock.release")                                \
    X(LOCK_EXIT, "Lock", "Lock.__exit__", "_thread.lock.__exit__")                                 \
    X(RLOCK_ACQUIRE, "RLock", "RLock.acquire", "_thread.RLock.acquire")                            \
    X(RLOCK_ENTER, "RLock", "RLock.__enter__", "_thread.RLock.__enter__")                          \
    X(RLOCK_RELEASE, "RLock", "RLock.release", "_thread.RLock.release")                            \
    X(RLOCK_EXIT, "RLock", "RLock.__exit__", "_thread.RLock.__exit__")                             \
    X(RLOCK_ACQUIRE_RESTORE, "RLock", "RLock._acquire_restore", "_thread.RLock._acquire_restore")  \
    X(RLOCK_RELEASE_SAVE, "RLock", "RLock._release_save", "_thread.RLock._release_save")           \
    X(SIMPLE_QUEUE_GET, "SimpleQueue", "SimpleQueue.get", "_queue.SimpleQueue.get")                \
    X(SIMPLE_QUEUE_PUT, "SimpleQueue", "SimpleQueue.put", "_queue.SimpleQueue.put")                \
    X(THREAD_JOIN, "Thread", "Thread.join", "_thread._ThreadHandle.join")                          \
    X(GIL, "GIL", "GIL", "<gil>")                                                                  \
    X(SLEEP, "", "sleep", "time.sleep")                                                            \
    X(SELECT, "", "select", "select.select")                                                       \
    X(POLL, "", "poll.poll", "select.poll.poll")                                                   \
    X(EPOLL, "", "epoll.poll", "select.epoll.poll")                                                \
    X(SOCKET_CONNECT, "", "socket.connect", "_socket.socket.connect")                              \
    X(SOCKET_ACCEPT, "", "socket.accept", "_socket.socket._accept")                                \
    X(SOCKET_RECV, "", "socket.recv", "_socket.socket.recv")                                       \
    X(SOCKET_RECV_INTO, "", "socket.recv_into", "_socket.socket.recv_into")                        \
    X(SOCKET_RECVFROM, "", "socket.recvfrom", "_socket.socket.recvfrom")                           \
    X(SOCKET_SEND, "", "socket.send", "_socket.socket.send")                                       \
    X(SOCKET_SENDALL, "", "socket.sendall", "_socket.socket.sendall")                              \
    X(SOCKET_CONNECT_EX, "", "socket.connect_ex", "_socket.socket.connect_ex")                     \
    X(SOCKET_RECVFROM_INTO, "", "socket.recvfrom_into", "_socket.socket.recvfrom_into")            \
    X(SOCKET_RECVMSG, "", "socket.recvmsg", "_socket.socket.recvmsg")                              \
    X(SOCKET_RECVMSG_INTO, "", "socket.recvmsg_into", "_socket.socket.recvmsg_into")               \
    X(SOCKET_SENDTO, "", "socket.sendto", "_socket.socket.sendto")                                 \
    X(SOCKET_SENDMSG, "", "socket.sendmsg", "_socket.socket.sendmsg")                              \
    X(GETADDRINFO, "", "socket.getaddrinfo", "_socket.getaddrinfo")                                \
    X(SSL_HANDSHAKE, "", "ssl.do_handshake", "_ssl._SSLSocket.do_handshake")                       \
    X(SSL_READ, "", "ssl.read", "_ssl._SSLSocket.read")                                            \
    X(SSL_WRITE, "", "ssl.write", "_ssl._SSLSocket.write")                                         \
    X(SSL_SHUTDOWN, "", "ssl.shutdown", "_ssl._SSLSocket.shutdown")                                \
    X(WAIT, "", "wait", "posix.wait")                                                              \
    X(WAIT3, "", "wait3", "posix.wait3")                                                           \
    X(WAIT4, "", "wait4", "posix.wait4")                                                           \
    X(WAITID, "", "waitid", "posix.waitid")                                                        \
    X(WAITPID, "", "waitpid", "posix.waitpid")                                                     \
    X(ASYNCIO_LOCK, "asyncio.Lock", "asyncio.Lock.acquire", "asyncio.Lock.acquire")                \
    X(ASYNCIO_EVENT, "asyncio.Event", "asyncio.Event.wait", "asyncio.Event.wait")                  \
    X(ASYNCIO_CONDITION, "asyncio.Condition", "asyncio.Condition.wait", "asyncio.Condition.wait")  \
    X(ASYNCIO_SEMAPHORE, "asyncio.Semaphore", "asyncio.Semaphore.acquire",                         \
      "asyncio.Semaphore.acquire")                                                                 \
    X(ASYNCIO_QUEUE_GET, "asyncio.Queue", "asyncio.Queue.get", "asyncio.Queue.get")                \
    X(ASYNCIO_QUEUE_PUT, "asyncio.Queue", "asyncio.Queue.put", "asyncio.Queue.put")                \
    X(ASYNCIO_QUEUE_JOIN, "asyncio.Queue", "asyncio.Queue.join", "asyncio.Queue.join")             \
    X(ASYNCIO_BARRIER, "asyncio.Barrier", "asyncio.Barrier.wait", "asyncio.Barrier.wait")          \
    X(ASYNCIO_LOCK_RELEASE, "asyncio.Lock", "asyncio.Lock.release", "asyncio.Lock.release")        \
    X(ASYNCIO_SEMAPHORE_RELEASE, "asyncio.Semaphore", "asyncio.Semaphore.release",                 \
      "asyncio.Semaphore.release")                                                                 \
    X(EVENT_LOOP, "", "event loop", "<event loop>")                                                \
    X(CONDITION, "Condition", "Condition.wait", "threading.Condition.wait")                        \
    X(EVENT, "Event", "Event.wait", "threading.Event.wait")                                        \
    X(SEMAPHORE, "Semaphore", "Semaphore.acquire", "threading.Semaphore.acquire")                  \
    X(BARRIER, "Barrier", "Barrier.wait", "threading.Barrier.wait")                                \
    X(QUEUE, "Queue", "Queue.get", "queue.Queue.get")                                              \
    X(FUTURE, "Future", "Future.result", "concurrent.futures._base.Future.result")

/* These numbers are not stored: files and the wire have names. */
enum sg_primitive {
    SG_PRIMITIVE_NONE,
#define X(number, owner, name, frame) SG_PRIMITIVE_##number,
    SG_PRIMITIVES(X)
#undef X
        SG_N_PRIMITIVES
};

/* Is `primitive` a function of asyncio, in which a task waits rather than a thread? Stacks of such
 * a wait leave out the event loop that runs the task. */
static inline bool sg_primitive_is_asyncio(enum sg_primitive primitive) {
    return primitive >= SG_PRIMITIVE_ASYNCIO_LOCK && primitive <= SG_PRIMITIVE_EVENT_LOOP;
}

/* The texts returned below are constant, and "" for SG_PRIMITIVE_NONE and for an invalid number
 * unless stated otherwise. Async-signal-safe. */

/* Return the name of a primitive in tables, such as "Lock.acquire". */
const char *sg_primitive_name(enum sg_primitive primitive);
/* Return the type of the object that a thread waits for, such as "Lock"; "" if there is none. */
const char *sg_primitive_owner(enum sg_primitive primitive);

/* Return the number of the primitive's frame, whose name is sg_pseudo_frames_name(); SG_UNKNOWN for
 * SG_PRIMITIVE_NONE and for an invalid number. */
static inline sg_code_id sg_primitive_frame(enum sg_primitive primitive) {
    return primitive > SG_PRIMITIVE_NONE && primitive < SG_N_PRIMITIVES
               ? SG_FIRST_PRIMITIVE_ID + (sg_code_id)primitive
               : SG_UNKNOWN;
}
/* Return the name of the primitive's frame, such as "_thread.lock.acquire"; "<unknown>" for
 * SG_PRIMITIVE_NONE and for an invalid number. */
const char *sg_primitive_frame_name(enum sg_primitive primitive);

#endif
