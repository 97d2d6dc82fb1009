#include <errno.h>
#include <seccomp.h>
#include <sys/mman.h>

// A macro with an argument, which Swift does not see: the call fails with EPERM.
static inline uint32_t seccomp_act_refuse(void) { return SCMP_ACT_ERRNO(EPERM); }
