/* Socket: opens, accepts, sends and receives on Unix domain sockets. All descriptors are
 * non-blocking, belong to the writer, and are in the engine's own descriptor table. */
#ifndef STACKGLASS_WIRE_SOCKET_H
#define STACKGLASS_WIRE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* The file of a socket, as the kernel knows it. */
struct sg_socket_file {
    uint64_t device, inode;
};

/* Find the file at `path`. Returns false if there is none, or it cannot be seen. */
bool sg_socket_find_file(const char *path, struct sg_socket_file *file);

/* Listen at `path` with mode 0600, and replace a stale socket there. Where a system call filter may
 * forbid the calls for that, the mode is the umask's, and a stale socket is an error. Returns a
 * descriptor, or -errno. */
int sg_socket_listen(const char *path);
/* Stop listening, and remove `path`. */
void sg_socket_unlisten(int descriptor, const char *path);

/* Accept the next permitted client: root, this process's user, or `uid` (-1 = none). Connections of
 * other users are closed. Returns a descriptor, or -errno. */
int sg_socket_accept(int listener, long uid);

/* Connect to a socket that listens at `address`. Returns a descriptor, or -errno. */
int sg_socket_connect(const struct sockaddr_un *address, socklen_t size);

/* Send or receive. Returns the number of bytes moved; 0 = none now; -1 = the connection has ended
 * or failed. */
ssize_t sg_socket_send(int descriptor, const void *bytes, size_t size);
ssize_t sg_socket_receive(int descriptor, void *bytes, size_t size);

#endif
