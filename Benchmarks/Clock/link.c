/* A cable between two network namespaces, which delays, loses and queues what it carries.
 *
 *   link NAMESPACE ADDRESS/BITS LAW NAMESPACE ADDRESS/BITS LAW
 *
 * NAMESPACE is the path of a network namespace, in which the interface `cable` is made with that address. LAW is that of the frames which
 * leave this end, words with commas between them:
 *
 *   delay=NS     how long a frame is under way at least
 *   jitter=NS    and how much longer at most; each frame's part is drawn evenly
 *   rate=BITS    bits a second; none: as fast as they come
 *   queue=BYTES  what may wait for the rate; a frame that finds no room is lost
 *   loss=PPM     of a million frames, how many are lost
 *
 * Frames of one direction keep their order. The cable says "ready" when both ends are up, and is cut with its standard input. Then it says,
 * for each direction, how many frames it has carried and lost, and how late a frame was at most, nanoseconds, against its law.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FRAME = 2048, SLOTS = 16384 };

struct law {
	int64_t delay, jitter, rate, queue, loss;
};

struct waiting {
	int64_t due;
	uint16_t size;
	uint8_t bytes[FRAME];
};

/* One direction: frames wait in the order in which they leave. */
struct direction {
	int from, to;
	struct law law;
	struct waiting *slots;
	unsigned first, count;
	int64_t line_free; /* when the last frame has left at the rate */
	int64_t last_due;
	uint64_t carried, lost;
	int64_t latest;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "link: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* xorshift64*, evenly in 0 to bound - 1. */
static int64_t drawn(int64_t bound)
{
	static uint64_t state = 88172645463325252u;
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return bound > 0 ? (int64_t)((state * 2685821657736338717u >> 11) % (uint64_t)bound) : 0;
}

static struct law law_of(char *text)
{
	struct law law = { .queue = 256 << 10 };
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		char *value = strchr(word, '='), *end = NULL;
		if (!value)
			break;
		*value++ = 0;
		const int64_t number = strtoll(value, &end, 10);
		int64_t *place = !strcmp(word, "delay") ? &law.delay : !strcmp(word, "jitter") ? &law.jitter
			: !strcmp(word, "rate") ? &law.rate : !strcmp(word, "queue") ? &law.queue
			: !strcmp(word, "loss") ? &law.loss : NULL;
		if (!place || *end || number < 0) {
			fprintf(stderr, "link: '%s=%s' is not part of a law\n", word, value);
			exit(2);
		}
		*place = number;
	}
	return law;
}

/* Makes the interface of one end. */
static int end(const char *namespace, char *address)
{
	const int space = open(namespace, O_RDONLY | O_CLOEXEC);
	if (space < 0 || setns(space, CLONE_NEWNET) < 0)
		fail(namespace);
	close(space);
	const int file = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	strcpy(request.ifr_name, "cable");
	if (file < 0 || ioctl(file, TUNSETIFF, &request) < 0)
		fail("/dev/net/tun");
	char *bits = strchr(address, '/');
	if (!bits) {
		errno = EINVAL;
		fail(address);
	}
	*bits++ = 0;
	const int socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in *at = (struct sockaddr_in *)&request.ifr_addr;
	memset(at, 0, sizeof *at);
	at->sin_family = AF_INET;
	if (inet_pton(AF_INET, address, &at->sin_addr) != 1 || ioctl(socket_, SIOCSIFADDR, &request) < 0)
		fail(address);
	at->sin_addr.s_addr = htonl(~0u << (32 - atoi(bits)));
	if (ioctl(socket_, SIOCSIFNETMASK, &request) < 0)
		fail(bits);
	if (ioctl(socket_, SIOCGIFFLAGS, &request) < 0)
		fail("cable");
	request.ifr_flags |= IFF_UP | IFF_RUNNING;
	if (ioctl(socket_, SIOCSIFFLAGS, &request) < 0)
		fail("cable");
	strcpy(request.ifr_name, "lo");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(socket_, SIOCSIFFLAGS, &request) < 0)
		fail("lo");
	close(socket_);
	return file;
}

/* Takes in what has arrived at one end. */
static void take(struct direction *way)
{
	while (true) {
		struct waiting *slot = &way->slots[(way->first + way->count) % SLOTS];
		const ssize_t size = read(way->from, slot->bytes, FRAME);
		if (size < 0) {
			if (errno == EAGAIN)
				return;
			fail("read");
		}
		const int64_t arrived = now();
		const struct law *law = &way->law;
		int64_t left = arrived;
		if (law->rate) {
			const int64_t begin = way->line_free > arrived ? way->line_free : arrived;
			if ((begin - arrived) / 1000 * law->rate / 8000000 + size > law->queue) {
				way->lost += 1;
				continue;
			}
			left = begin + size * 8 * 1000000000 / law->rate;
		}
		if (way->count == SLOTS || drawn(1000000) < law->loss) {
			way->lost += 1;
			continue;
		}
		way->line_free = left;
		const int64_t due = left + law->delay + drawn(law->jitter + 1);
		slot->due = due > way->last_due ? due : way->last_due;
		slot->size = (uint16_t)size;
		way->last_due = slot->due;
		way->count += 1;
	}
}

/* Hands over what is due. Returns when the next frame is; INT64_MAX if there is none. */
static int64_t hand_over(struct direction *way)
{
	while (way->count) {
		struct waiting *slot = &way->slots[way->first];
		const int64_t late = now() - slot->due;
		if (late < 0)
			return slot->due;
		/* A full queue of the receiver loses the frame, as any interface does. */
		if (write(way->to, slot->bytes, slot->size) == slot->size)
			way->carried += 1;
		else
			way->lost += 1;
		if (late > way->latest)
			way->latest = late;
		way->first = (way->first + 1) % SLOTS;
		way->count -= 1;
	}
	return INT64_MAX;
}

int main(int count, char *words[])
{
	if (count != 7) {
		fprintf(stderr, "usage: link NAMESPACE ADDRESS/BITS LAW NAMESPACE ADDRESS/BITS LAW\n");
		return 2;
	}
	struct direction ways[2] = { { .law = law_of(words[3]) }, { .law = law_of(words[6]) } };
	ways[0].from = ways[1].to = end(words[1], words[2]);
	ways[1].from = ways[0].to = end(words[4], words[5]);
	for (int way = 0; way < 2; way += 1)
		if (!(ways[way].slots = calloc(SLOTS, sizeof(struct waiting))))
			fail("memory");
	/* The cable must not wait for a processor, and needs little of one. */
	prctl(PR_SET_TIMERSLACK, 1);
	const struct sched_param first = { .sched_priority = 1 };
	sched_setscheduler(0, SCHED_FIFO, &first);
	puts("ready");
	fflush(stdout);
	while (true) {
		const int64_t one = hand_over(&ways[0]), other = hand_over(&ways[1]);
		const int64_t next = one < other ? one : other, rest = next - now();
		const struct timespec wait = { .tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000 };
		struct pollfd files[3] = { { STDIN_FILENO, POLLIN, 0 }, { ways[0].from, POLLIN, 0 }, { ways[1].from, POLLIN, 0 } };
		if (next == INT64_MAX || rest > 0) {
			if (ppoll(files, 3, next == INT64_MAX ? NULL : &wait, NULL) < 0 && errno != EINTR)
				fail("poll");
		} else {
			poll(files, 3, 0);
		}
		if (files[0].revents)
			break;
		take(&ways[0]);
		take(&ways[1]);
	}
	for (int way = 0; way < 2; way += 1)
		printf("%llu %llu %lld\n", (unsigned long long)ways[way].carried, (unsigned long long)ways[way].lost,
		       (long long)ways[way].latest);
	return 0;
}
