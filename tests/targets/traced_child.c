/* A child of this process that a thread of it traces, and that ends meanwhile: as where only
 * ancestors may trace. The argument says how it ends. Prints the tracer's enum sg_stop and signal,
 * and the child's exit status and signal, as its parent gets them. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/tracee.h"

static pid_t child;
static const char *story;
static int gate[2], stop, end_signal;

static void *trace(void *unused) {
    sg_tracee_leave_ended();
    if (ptrace(PTRACE_SEIZE, child, NULL, NULL) != 0)
        return NULL;
    if (sg_tracee_stop_thread(child, SG_NO_TIMEOUT) != SG_STOP_TRAP)
        return NULL;
    if (!strcmp(story, "killed"))
        kill(child, SIGKILL);
    else
        close(gate[1]);
    ptrace(PTRACE_CONT, child, NULL, NULL);
    stop = sg_tracee_wait_stop(child, SG_NO_TIMEOUT, &end_signal);
    return NULL;
}

int main(int n, char **words) {
    int status = 0;
    pthread_t tracer;
    story = words[1];
    if (pipe(gate) != 0)
        return 1;
    child = fork();
    if (child == 0) { /* exits when the gate is closed */
        char none;
        close(gate[1]);
        _exit(read(gate[0], &none, 1) == 0 ? 3 : 4);
    }
    if (pthread_create(&tracer, NULL, trace, NULL) != 0 || pthread_join(tracer, NULL) != 0)
        return 1;
    if (waitpid(child, &status, 0) != child)
        return 2;
    printf("%d %d %d %d\n", stop, end_signal, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return 0;
}
