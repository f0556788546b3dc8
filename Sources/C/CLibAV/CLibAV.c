#include "CLibAV.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_message[512];
static _Thread_local unsigned long lost_packets;

// libavformat tells in its log alone that packets are missing. The texts are those of the version that is loaded.
static bool tells_a_loss(const char *format) {
    return !strcmp(format, "RTP: missed %d packets\n") || !strncmp(format, "RTP: PT=%02x: bad cseq ", 23);
}

static void keep_message(void *object, int level, const char *format, va_list arguments) {
    if (level <= AV_LOG_WARNING && tells_a_loss(format)) lost_packets++;
    if (level > AV_LOG_ERROR) return;
    int print_prefix = 0;
    av_log_format_line2(object, level, format, arguments, last_message, sizeof last_message, &print_prefix);
    last_message[strcspn(last_message, "\n")] = 0;
}

static void install(void) {
    av_log_set_callback(keep_message);
}

void caprig_av_keep_messages(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

const char *caprig_av_last_message(void) {
    return last_message;
}

void caprig_av_forget_message(void) {
    last_message[0] = 0;
}

unsigned long caprig_av_lost_packets(void) {
    return lost_packets;
}

int caprig_av_set_extradata(AVCodecParameters *parameters, const uint8_t *bytes, int count) {
    uint8_t *copy = av_mallocz((size_t)count + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, bytes, (size_t)count);
    av_freep(&parameters->extradata);
    parameters->extradata = copy;
    parameters->extradata_size = count;
    return 0;
}
