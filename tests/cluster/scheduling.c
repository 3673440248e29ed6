/* Galera asks for the scheduling of its own threads and gives up when the kernel does not know (some sandboxes
   answer "no such process"). This answers "the ordinary one" instead; it is preloaded only on such a kernel. */
#include <pthread.h>
#include <sched.h>

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters)
{
    (void)thread;
    *policy = SCHED_OTHER;
    parameters->sched_priority = 0;
    return 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters)
{
    (void)thread;
    (void)policy;
    (void)parameters;
    return 0;
}
