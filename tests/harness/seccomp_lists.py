"""System call filters in common use, as lists of names from the sources of their projects.

``SYSTEM_SERVICE`` is systemd's group of that name, without the groups for times and keys that only
old 32-bit programs use. ``DOCKER`` lists the calls that Docker's default profile allows a container
without capabilities, ``FLATPAK_DENIED`` those that flatpak denies programs in bubblewrap.
"""

from __future__ import annotations

_DEFAULT = """
clock_getres clock_gettime clock_nanosleep execve exit exit_group futex get_robust_list
get_thread_area getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getresgid getresuid
getrlimit getsid gettid gettimeofday getuid membarrier nanosleep pause prlimit64 restart_syscall
rseq rt_sigreturn sched_yield set_robust_list set_thread_area set_tid_address time
"""
_AIO = """
io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit io_uring_enter io_uring_register
io_uring_setup
"""
_BASIC_IO = """
close dup dup2 dup3 lseek pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readv write writev
"""
_CHOWN = "chown fchown fchownat lchown"
_FILE_SYSTEM = """
access chdir chmod close creat faccessat faccessat2 fallocate fchdir fchmod fchmodat fcntl
fgetxattr flistxattr fremovexattr fsetxattr fstat fstatfs ftruncate futimesat getcwd getdents
getdents64 getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch lgetxattr link
linkat listxattr llistxattr lremovexattr lsetxattr lstat mkdir mkdirat mknod mknodat mmap munmap
newfstatat open openat openat2 readlink readlinkat removexattr rename renameat renameat2 rmdir
setxattr stat statfs statx symlink symlinkat truncate unlink unlinkat utime utimensat utimes
"""
_IO_EVENT = """
epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_wait epoll_wait_old eventfd
eventfd2 poll ppoll pselect6 select
"""
_IPC = """
memfd_create mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget
msgrcv msgsnd pipe pipe2 process_vm_readv process_vm_writev semctl semget semop semtimedop shmat
shmctl shmdt shmget
"""
_MEMLOCK = "mlock mlock2 mlockall munlock munlockall"
_NETWORK_IO = """
accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg
sendmmsg sendmsg sendto setsockopt shutdown socket socketpair
"""
_PROCESS = """
arch_prctl capget clone clone3 execveat fork getrusage kill pidfd_open pidfd_send_signal prctl
rt_sigqueueinfo rt_tgsigqueueinfo setns tgkill times tkill unshare vfork wait4 waitid
"""
_RESOURCES = """
ioprio_set mbind migrate_pages move_pages sched_setaffinity sched_setattr sched_setparam
sched_setscheduler set_mempolicy setpriority setrlimit
"""
_SETUID = "setgid setgroups setregid setresgid setresuid setreuid setuid"
_SIGNAL = """
rt_sigaction rt_sigpending rt_sigprocmask rt_sigsuspend rt_sigtimedwait sigaltstack signalfd
signalfd4
"""
_SYNC = "fdatasync fsync msync sync sync_file_range syncfs"
_TIMER = """
alarm getitimer setitimer timer_create timer_delete timer_getoverrun timer_gettime timer_settime
timerfd_create timerfd_gettime timerfd_settime times
"""
_SERVICE = """
brk capset copy_file_range fadvise64 flock get_mempolicy getcpu getpriority getrandom ioctl
ioprio_get kcmp madvise mprotect mremap name_to_handle_at personality readahead remap_file_pages
sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
sched_getscheduler sched_rr_get_interval sendfile setfsgid setfsuid setpgid setsid splice sysinfo
tee umask uname userfaultfd vmsplice add_key keyctl request_key
"""

SYSTEM_SERVICE = " ".join(
    (
        _DEFAULT,
        _AIO,
        _BASIC_IO,
        _CHOWN,
        _FILE_SYSTEM,
        _IO_EVENT,
        _IPC,
        _MEMLOCK,
        _NETWORK_IO,
        _PROCESS,
        _RESOURCES,
        _SETUID,
        _SIGNAL,
        _SYNC,
        _TIMER,
        _SERVICE,
    )
).split()

# Calls that Docker allows and systemd's group does not have, and the reverse.
_DOCKER_ALSO = """
close_range epoll_pwait2 fanotify_mark futex_waitv landlock_add_rule landlock_create_ruleset
landlock_restrict_self memfd_secret mincore pkey_alloc pkey_free pkey_mprotect process_mrelease
ptrace seccomp adjtimex clock_adjtime
"""
_DOCKER_NOT = """
unshare setns get_mempolicy mbind set_mempolicy migrate_pages move_pages kcmp add_key keyctl
request_key userfaultfd personality clone3
"""
DOCKER = sorted((set(SYSTEM_SERVICE) | set(_DOCKER_ALSO.split())) - set(_DOCKER_NOT.split()))

_FLATPAK_DENIED = """
syslog acct modify_ldt quotactl add_key keyctl request_key move_pages mbind get_mempolicy
set_mempolicy migrate_pages unshare setns mount umount2 pivot_root chroot perf_event_open ptrace
personality
"""
FLATPAK_DENIED = _FLATPAK_DENIED.split()

# Calls that threads, files and sockets of a Python program need, without the optional calls of the
# engine: no perf events, timers, prctl, queued signals, other memory or descriptor tables.
_BARE = """
accept4 bind brk clock_gettime clock_nanosleep clone clone3 close dup epoll_create1 epoll_ctl
epoll_wait exit exit_group fcntl fstat futex getdents64 geteuid getpid getsockopt gettid getuid
ioctl listen lseek madvise mmap mprotect mremap munmap newfstatat openat pause pipe2 poll
pread64 pselect6 read readlink recvfrom restart_syscall rseq rt_sigaction rt_sigprocmask
rt_sigreturn sched_getaffinity prlimit64 select sendto set_robust_list socket stat unlink write
"""
BARE = _BARE.split()
