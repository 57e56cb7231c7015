/* The socket's system calls. All descriptors are non-blocking and belong to the writer, in the
 * engine's own table. */
#ifndef STACKGLASS_WIRE_SOCKET_H
#define STACKGLASS_WIRE_SOCKET_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* Listen at `path`, mode 0600; one that nobody listens at is replaced. A descriptor or -errno. */
int sg_socket_listen(const char *path);
/* Stop listening, and remove `path`. */
void sg_socket_unlisten(int descriptor, const char *path);

/* The next client that may come in: root, this process's user, or `uid` (-1 = nobody else).
 * Others are hung up on. A descriptor, or -1 if nobody is there. */
int sg_socket_accept(int listener, long uid);

/* Connect to a socket that listens at `address`. A descriptor or -errno. */
int sg_socket_connect(const struct sockaddr_un *address, socklen_t size);

/* How many bytes went or came; 0 = none now; -1 = the other end is gone. */
ssize_t sg_socket_send(int descriptor, const void *bytes, size_t size);
ssize_t sg_socket_receive(int descriptor, void *bytes, size_t size);

#endif
