#include "CLibAV.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_message[512];

static void keep_message(void *object, int level, const char *format, va_list arguments) {
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

int caprig_av_set_extradata(AVCodecParameters *parameters, const uint8_t *bytes, int count) {
    uint8_t *copy = av_mallocz((size_t)count + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, bytes, (size_t)count);
    av_freep(&parameters->extradata);
    parameters->extradata = copy;
    parameters->extradata_size = count;
    return 0;
}

int caprig_av_prepare_sound(AVFrame *frame, const AVCodecContext *encoder, int count) {
    av_frame_unref(frame);
    frame->format = encoder->sample_fmt;
    frame->sample_rate = encoder->sample_rate;
    frame->nb_samples = count;
    int status = av_channel_layout_copy(&frame->ch_layout, &encoder->ch_layout);
    return status < 0 ? status : av_frame_get_buffer(frame, 0);
}

void caprig_av_split_sound(const uint8_t *samples, int count, int channels, AVFrame *frame) {
    for (int channel = 0; channel < channels; channel++) {
        float *plane = (float *)frame->extended_data[channel];
        const uint8_t *sample = samples + 2 * channel;
        for (int index = 0; index < count; index++, sample += 2 * channels) {
            plane[index] = (int16_t)(sample[0] | sample[1] << 8) / 32768.0f;
        }
    }
}

struct SwsContext *caprig_av_make_converter(int width, int height, enum AVPixelFormat from, enum AVPixelFormat to) {
    struct SwsContext *converter =
        sws_getContext(width, height, from, width, height, to, SWS_BILINEAR | SWS_ACCURATE_RND, NULL, NULL, NULL);
    if (!converter) return NULL;
    const int *bt601 = sws_getCoefficients(SWS_CS_ITU601);
    // 1: full range in, 0: limited range out; contrast and saturation as they are.
    if (sws_setColorspaceDetails(converter, bt601, 1, bt601, 0, 0, 1 << 16, 1 << 16) < 0) {
        sws_freeContext(converter);
        return NULL;
    }
    return converter;
}

int caprig_av_convert(struct SwsContext *converter, const AVFrame *source, AVFrame *target) {
    int status = av_frame_get_buffer(target, 0);
    if (status < 0) return status;
    status = sws_scale(converter, (const uint8_t *const *)source->data, source->linesize, 0, source->height,
                       target->data, target->linesize);
    return status < 0 ? status : 0;
}
